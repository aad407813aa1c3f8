// Markdown that is still being written: marks whose other half has not come are not shown as text meanwhile.

const FENCED = /^ {0,3}(`{3}|~{3})/;
const MARK_ALONE = /^\s*(#{1,6}|[-*+>]|\d{1,9}[.)]|-{2,}|_{2,})?\s*$/;
const ROW_START = /^\s*\|/;
/** The line below the head of a table. */
export const TABLE_MARKS = /^(?=.*-)[\s|:-]+$/;

/** Close what is open in a line: code, bold and emphasis. @param {string} line */
function closeSpans(line) {
  const text = line.replace(/[*`~]+$/, "");
  if ((text.match(/`/g)?.length ?? 0) % 2) return `${text}\``;
  let strong = false;
  let emphasis = false;
  for (const [mark] of text.matchAll(/\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*/g)) {
    if (mark === "**") strong = !strong;
    else emphasis = !emphasis;
  }
  return `${text}${emphasis ? "*" : ""}${strong ? "**" : ""}`;
}

/** @param {string} line */
const countCells = (line) => (/\|\s*$/.test(line) ? (line.match(/(?<!\\)\|/g)?.length ?? 0) : 0);

/** How many lines at the end are of a table that cannot be drawn yet: its first two lines, or half a row. @param {string[]} lines */
function countPendingRows(lines) {
  const start = lines.findLastIndex((line) => !ROW_START.test(line)) + 1;
  const rows = lines.slice(start);
  const [head = "", marks = ""] = rows;
  const isWhole = countCells(rows.at(-1) ?? "") >= countCells(head);
  if (rows.length > 2) return isWhole ? 0 : 1;
  return isWhole && TABLE_MARKS.test(marks) ? 0 : rows.length;
}

/** The last block of a text that goes on, as it can be shown. @param {string} block */
export function completeBlock(block) {
  if (FENCED.test(block)) return block;
  const lines = block.split("\n");
  const pending = countPendingRows(lines);
  if (pending) return lines.slice(0, -pending).join("\n");
  const last = lines.pop() ?? "";
  if (!MARK_ALONE.test(last)) lines.push(closeSpans(last));
  return lines.join("\n");
}
