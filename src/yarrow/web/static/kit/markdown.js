// Markdown of models as nodes. HTML in it is text; links lead to http and https addresses only.

import { html, useRef } from "../vendor/preact.js";
import { CopyButton } from "./copy_button.js";

const INLINE =
  /(`+)([\s\S]*?[^`])\1(?!`)|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|\[([^\]\n]+)\]\((https?:\/\/[^)\s]+)\)|(https?:\/\/[^\s<>)\]，。；）]+)/g;

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
function renderSpan([whole, , code, strong, strong2, emphasis, label, address, bare]) {
  if (code !== undefined) return html`<code>${code}</code>`;
  if (strong ?? strong2) return html`<strong>${renderInline(strong ?? strong2)}</strong>`;
  if (emphasis) return html`<em>${renderInline(emphasis)}</em>`;
  const target = address ?? bare;
  if (target) return html`<a href=${target} rel="noopener noreferrer" target="_blank">${label ?? bare}</a>`;
  return whole;
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

/** @param {string[]} lines */
function renderList(lines) {
  const isOrdered = /^\s*\d/.test(lines[0]);
  /** @type {string[]} */
  const items = [];
  for (const line of lines) {
    const item = line.match(ITEM);
    if (item) items.push(item[2]);
    else if (items.length) items[items.length - 1] += `\n${line.trim()}`;
  }
  const children = items.map((item) => html`<li>${renderInline(item)}</li>`);
  return isOrdered ? html`<ol start=${parseInt(lines[0].trim(), 10)}>${children}</ol>` : html`<ul>${children}</ul>`;
}

/** @param {string} line */
const splitCells = (line) => (line.match(ROW)?.[1] ?? "").split("|").map((cell) => cell.trim());

/** @param {string[]} lines */
function renderTable([head, , ...rows]) {
  return html`<div class="wide-table" tabindex="0"><table>
    <thead><tr>${splitCells(head).map((cell) => html`<th scope="col">${renderInline(cell)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${splitCells(row).map((cell) => html`<td>${renderInline(cell)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** @param {{text: string, base: number}} props */
function Block({ text, base }) {
  const lines = text.split("\n");
  const [first] = lines;
  if (FENCE.test(first)) {
    const isClosed = lines.length > 1 && FENCE.test(lines[lines.length - 1]);
    const code = lines.slice(1, isClosed ? -1 : undefined).join("\n");
    return html`<div class="copyable"><pre tabindex="0"><code>${code}</code></pre>${isClosed && html`<${CopyButton} class="copy" text=${() => `${code}\n`} />`}</div>`;
  }
  const heading = first.match(HEADING);
  if (heading) {
    const rest = lines.slice(1).join("\n");
    return html`<p class="md-heading" role="heading" aria-level=${Math.min(heading[1].length + base, 6)}>${renderInline(heading[2])}</p>${rest && html`<${Block} text=${rest} base=${base} />`}`;
  }
  if (ITEM.test(first)) return renderList(lines);
  if (ROW.test(first) && /^[\s|:-]+$/.test(lines[1] ?? "x")) return renderTable(lines);
  if (first.startsWith(">"))
    return html`<blockquote>${renderInline(lines.map((line) => line.replace(/^>\s?/, "")).join("\n"))}</blockquote>`;
  if (/^([-*_])\s*(\1\s*){2,}$/.test(first)) return html`<hr />`;
  const list = lines.findIndex((line) => ITEM.test(line));
  if (list > 0)
    return html`<${Block} text=${lines.slice(0, list).join("\n")} base=${base} /><${Block} text=${lines.slice(list).join("\n")} base=${base} />`;
  return html`<p>${renderInline(text)}</p>`;
}

/** @param {string} text @param {number} base @param {number} place */
const renderBlock = (text, base, place) => html`<div key=${place}><${Block} text=${text} base=${base} /></div>`;

/**
 * Headings are below the level `base`. While text is added only its last block is split and rendered anew: the
 * others are the same nodes, which the renderer skips.
 * @param {{text: string, streaming?: boolean, base?: number}} props
 */
export function Markdown({ text, streaming = false, base = 2 }) {
  const kept = useRef({ text: "", nodes: /** @type {any[]} */ ([]) }).current;
  if (!text.startsWith(kept.text)) Object.assign(kept, { text: "", nodes: [] });
  const blocks = splitBlocks(text.slice(kept.text.length));
  const last = blocks.pop() ?? "";
  for (const block of blocks) kept.nodes.push(renderBlock(block, base, kept.nodes.length));
  if (blocks.length) kept.text = text.slice(0, text.lastIndexOf(last));
  return html`<div class=${streaming ? "markdown caret-last" : "markdown"} dir="auto">
    ${kept.nodes}${last && renderBlock(last, base, kept.nodes.length)}
  </div>`;
}
