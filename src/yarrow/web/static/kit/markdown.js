// Markdown of models as nodes. HTML in it is text; links lead to http and https addresses only.

import { html, useRef } from "../vendor/preact.js";
import { Code } from "./code.js";
import { CopyButton } from "./copy_button.js";
import { TABLE_MARKS, completeBlock } from "./unfinished_markdown.js";

const INLINE = new RegExp(
  [
    /(?<!`)(?<tick>`+)(?!`)(?<code>[\s\S]*?[^`])\k<tick>(?!`)/,
    /\*{3}(?<both>[^*\n]+)\*{3}/,
    /\*\*(?<strong>(?:[^*\n]|\*(?!\*))+)\*\*/,
    /__(?<strong2>[^_\n]+)__/,
    /\*(?<emphasis>[^*\s][^*\n]*)\*/,
    /(?<!\w)_(?<emphasis2>[^_\s](?:[^_\n]*[^_\s])?)_(?!\w)/,
    /~~(?<struck>[^~\n]+)~~/,
    /\[(?<label>[^\]\n]+)\]\((?<address>https?:\/\/[^)\s]+)\)/,
    /(?<bare>https?:\/\/[^\s<>)\]，。；）]+)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/**
 * @param {string} text
 * @returns {any[]}
 */
export function renderInline(text) {
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > last) nodes.push(text.slice(last, match.index));
    nodes.push(renderSpan(match));
    last = match.index + match[0].length;
  }
  if (last < text.length) nodes.push(text.slice(last));
  return nodes;
}

/** @param {RegExpMatchArray} match */
function renderSpan({ groups: found = {} }) {
  if (found.code) return html`<code>${found.code}</code>`;
  if (found.both) return html`<strong><em>${renderInline(found.both)}</em></strong>`;
  const strong = found.strong ?? found.strong2;
  if (strong) return html`<strong>${renderInline(strong)}</strong>`;
  const emphasis = found.emphasis ?? found.emphasis2;
  if (emphasis) return html`<em>${renderInline(emphasis)}</em>`;
  if (found.struck) return html`<del>${renderInline(found.struck)}</del>`;
  const target = found.address ?? found.bare;
  return html`<a href=${target} rel="noopener noreferrer" target="_blank">${found.label ?? target}</a>`;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^\s*([-*+]|\d{1,9}[.)])\s+(.*)$/;
const ROW = /^\s*\|(.+)\|\s*$/;

/**
 * Split text into blocks. All but the last stay the same while text is added, so they can be kept.
 * @param {string} text
 * @returns {string[]}
 */
export function splitBlocks(text) {
  /** @type {string[][]} */
  const blocks = [[]];
  let fence = "";
  for (const line of text.split("\n")) {
    const mark = line.match(FENCE)?.[1] ?? "";
    if (fence ? mark.startsWith(fence) : mark) {
      if (!fence) blocks.push([]);
      blocks[blocks.length - 1].push(line);
      if (fence) blocks.push([]);
      fence = fence ? "" : mark;
    } else if (!fence && line.trim() === "") blocks.push([]);
    else blocks[blocks.length - 1].push(line);
  }
  return blocks.filter((block) => block.length).map((block) => block.join("\n"));
}

/** @param {string} line */
const measureIndent = (line) => line.replaceAll("\t", "    ").search(/\S/);

/** Items that are indented further than the first are a list inside the item above them. @param {string[]} lines */
function renderList(lines) {
  const isOrdered = /^\s*\d/.test(lines[0]);
  const indent = measureIndent(lines[0]);
  /** @type {{text: string, inner: string[]}[]} */
  const items = [];
  for (const line of lines) {
    const item = line.match(ITEM);
    const above = items.at(-1);
    if (above && (item ? measureIndent(line) > indent + 1 : above.inner.length)) above.inner.push(line);
    else if (item) items.push({ text: item[2], inner: [] });
    else if (above) above.text += `\n${line.trim()}`;
  }
  /** @type {any[]} */
  const children = items.map(
    ({ text, inner }) => html`<li>${renderInline(text)}${inner.length > 0 && renderList(inner)}</li>`,
  );
  return isOrdered ? html`<ol start=${parseInt(lines[0].trim(), 10)}>${children}</ol>` : html`<ul>${children}</ul>`;
}

/** @param {string} line */
const splitCells = (line) =>
  (line.match(ROW)?.[1] ?? "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

/** @param {string} mark of a column, below its head */
const readSide = (mark) => (mark.endsWith(":") ? (mark.startsWith(":") ? "center" : "right") : undefined);

/** @param {string[]} lines */
function renderTable([head, marks, ...rows]) {
  const sides = splitCells(marks).map(readSide);
  return html`<div class="wide-table" tabindex="0"><table>
    <thead><tr>${splitCells(head).map((cell, place) => html`<th scope="col" class=${sides[place]}>${renderInline(cell)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${splitCells(row).map((cell, place) => html`<td class=${sides[place]}>${renderInline(cell)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** Whether a table, a heading or a quotation begins at a line, without an empty line above it. @param {string} line @param {number} place @param {string[]} lines */
const beginsAnother = (line, place, lines) =>
  place > 0 &&
  (HEADING.test(line) || line.startsWith(">") || (ROW.test(line) && TABLE_MARKS.test(lines[place + 1] ?? "")));

/** Two parts of a block that are of different kinds. @param {string[]} lines @param {number} place @param {number} base */
const renderParts = (lines, place, base) =>
  [lines.slice(0, place), lines.slice(place)].map((part) => html`<${Block} text=${part.join("\n")} base=${base} />`);

/** @param {{text: string, base: number}} props */
function Block({ text, base }) {
  const lines = text.split("\n");
  const [first] = lines;
  const fence = first.match(FENCE);
  if (fence) {
    const isClosed = lines.length > 1 && FENCE.test(lines[lines.length - 1]);
    const code = lines.slice(1, isClosed ? -1 : undefined).join("\n");
    return html`<div class="copyable"><pre tabindex="0"><${Code} text=${code} language=${isClosed ? fence[2] : ""} /></pre>${isClosed && html`<${CopyButton} class="copy" text=${() => `${code}\n`} />`}</div>`;
  }
  const heading = first.match(HEADING);
  if (heading) {
    const rest = lines.slice(1).join("\n");
    return html`<p class="md-heading" role="heading" aria-level=${Math.min(Math.max(heading[1].length + base, 2), 6)}>${renderInline(heading[2])}</p>${rest && html`<${Block} text=${rest} base=${base} />`}`;
  }
  if (ROW.test(first) && TABLE_MARKS.test(lines[1] ?? "")) {
    const end = lines.findIndex((line) => !ROW.test(line));
    return end < 0 ? renderTable(lines) : renderParts(lines, end, base);
  }
  if (first.startsWith(">"))
    return html`<blockquote>${renderInline(lines.map((line) => line.replace(/^>\s?/, "")).join("\n"))}</blockquote>`;
  if (/^([-*_])\s*(\1\s*){2,}$/.test(first)) return html`<hr />`;
  const isList = ITEM.test(first);
  const other = lines.findIndex((...at) => beginsAnother(...at) || (!isList && ITEM.test(at[0])));
  if (other > 0) return renderParts(lines, other, base);
  return isList ? renderList(lines) : html`<p>${renderInline(text)}</p>`;
}

/** @param {string} text @param {number} base @param {number} place */
const renderBlock = (text, base, place) => html`<div key=${place}><${Block} text=${text} base=${base} /></div>`;

/** Find the base that puts the first heading of a text below the page's title. @param {string} text */
const findBase = (text) => 2 - (text.match(/^(#{1,6})\s/m)?.[1].length ?? 1);

/**
 * Headings are below the level `base`; by default the first one is below the page's title. While text is added only its
 * last block is split and rendered anew: the others are the same nodes, which the renderer skips.
 * @param {{text: string, streaming?: boolean, base?: number}} props
 */
export function Markdown({ text, streaming = false, base = findBase(text) }) {
  const kept = useRef({ text: "", nodes: /** @type {any[]} */ ([]) }).current;
  if (!text.startsWith(kept.text)) Object.assign(kept, { text: "", nodes: [] });
  const blocks = splitBlocks(text.slice(kept.text.length));
  const last = blocks.pop() ?? "";
  for (const block of blocks) kept.nodes.push(renderBlock(block, base, kept.nodes.length));
  if (blocks.length) kept.text = text.slice(0, text.lastIndexOf(last));
  return html`<div class=${streaming ? "markdown caret-last" : "markdown"} dir="auto">
    ${kept.nodes}${last && renderBlock(streaming ? completeBlock(last) : last, base, kept.nodes.length)}
  </div>`;
}
