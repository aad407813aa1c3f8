// A table from the clipboard: a file, or the text of cells as spreadsheets copy them.

import { isTyping } from "../../kit/keys.js";

/** @param {string} text */
const hasRows = (text) => text.trim().includes("\n");

/** Whether each line has as many tabs, as copied cells have and indented text does not. @param {string} text */
const hasCells = (text) => {
  const counts = new Set(
    text
      .replace(/[\r\n]+$/, "")
      .split("\n")
      .map((line) => line.split("\t").length),
  );
  return counts.size === 1 && !counts.has(1);
};

/**
 * The files of a paste. In a field only cells that are separated by tabs are a table; other text is meant for the
 * field.
 * @param {ClipboardEvent} event
 * @returns {File[]}
 */
export function readPastedTables({ clipboardData, target }) {
  if (!clipboardData) return [];
  if (clipboardData.files.length) return [...clipboardData.files];
  const text = clipboardData.getData("text/plain");
  const ending = text.includes("\t") ? "tsv" : "csv";
  if (!hasRows(text) || (ending === "csv" && (isTyping(target) || !text.includes(",")))) return [];
  if (isTyping(target) && !hasCells(text)) return [];
  const time = new Date().toTimeString().slice(0, 8).replaceAll(":", "-");
  return [new File([text], `pasted_${time}.${ending}`)];
}
