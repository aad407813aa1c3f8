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
 * The files of a paste. A spreadsheet adds a picture of the cells, which is not meant. In a field text is meant for it,
 * but for cells that are separated by tabs in the question's.
 * @param {ClipboardEvent} event
 * @returns {File[]}
 */
export function readPastedTables({ clipboardData, target }) {
  if (!clipboardData) return [];
  const pictures = [...clipboardData.files].filter((file) => file.type.startsWith("image/"));
  if (clipboardData.files.length > pictures.length) return [...clipboardData.files];
  const text = clipboardData.getData("text/plain");
  const ending = text.includes("\t") ? "tsv" : "csv";
  if (!text) return pictures; // To be told that it is no table.
  if (isTyping(target) && /** @type {HTMLElement} */ (target).id !== "data-question") return [];
  if (!hasRows(text) || (ending === "csv" && (isTyping(target) || !text.includes(",")))) return [];
  if (isTyping(target) && !hasCells(text)) return [];
  const time = new Date().toTimeString().slice(0, 8).replaceAll(":", "-");
  return [new File([text], `pasted_${time}.${ending}`)];
}
