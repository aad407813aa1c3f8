// Cards of UI schema 2.0: every node and both actions. A node of an unknown type is skipped.

import { html, useEffect, useSignal } from "../vendor/preact.js";
import { send } from "./api.js";
import { guessLanguage } from "./words.js";

/**
 * @typedef {{type: string, [field: string]: any}} CardNode
 * @typedef {(text: string) => void} SendText
 */

/** A picture of this server, fetched with the token. @param {{node: CardNode}} props */
function CardImage({ node }) {
  const address = useSignal("");
  useEffect(() => {
    let made = "";
    const isOurs = /^\/(?!\/)/.test(node.src);
    if (isOurs)
      send(node.src)
        .then((response) => (response.ok ? response.blob() : null))
        .then((blob) => {
          if (blob) address.value = made = URL.createObjectURL(blob);
        })
        .catch(() => undefined);
    return () => URL.revokeObjectURL(made);
  }, [node.src]);
  return address.value ? html`<img src=${address.value} alt=${node.alt} />` : html`<p class="quiet">${node.alt}</p>`;
}

/** @param {{node: CardNode, onSend?: SendText}} props */
function CardButton({ node, onSend }) {
  const { action, label } = node;
  if (action?.type === "link" && /^https:\/\//.test(action.href))
    return html`<a class="button" href=${action.href} rel="noopener noreferrer" target="_blank">${label}</a>`;
  if (action?.type === "message")
    return html`<button type="button" class="button" disabled=${!onSend} onClick=${() => onSend?.(action.text)}>${label}</button>`;
  return null;
}

/** @type {Record<string, (node: CardNode, onSend?: SendText) => any>} */
const NODES = {
  stack: (node, onSend) =>
    html`<div class=${`stack ${node.direction === "horizontal" ? "row" : ""}`}>${node.children.map((/** @type {CardNode} */ child) => renderNode(child, onSend))}</div>`,
  text: (node) =>
    html`<p class=${`card-${node.role}`} dir="auto" lang=${guessLanguage(node.content)}>${node.content}</p>`,
  badge: (node) => html`<span class=${`badge ${node.status}`}>${node.label}</span>`,
  list: (node) =>
    html`<ul class="card-list">${node.items.map((/** @type {any} */ item) => html`<li lang=${guessLanguage(`${item.title} ${item.detail ?? ""}`)}>${item.title}${item.detail && html`<small>${item.detail}</small>`}</li>`)}</ul>`,
  "key-value": (node) =>
    html`<dl class="card-pairs">${node.entries.map((/** @type {any} */ entry) => html`<div><dt>${entry.key}</dt><dd>${entry.value}</dd></div>`)}</dl>`,
  table: (node) => html`<div class="wide-table" tabindex="0"><table>
    <thead><tr>${node.columns.map((/** @type {string} */ column) => html`<th scope="col">${column}</th>`)}</tr></thead>
    <tbody>${node.rows.map((/** @type {string[]} */ row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`,
  image: (node) => html`<${CardImage} node=${node} />`,
  button: (node, onSend) => html`<${CardButton} node=${node} onSend=${onSend} />`,
  divider: () => html`<hr />`,
  progress: (node) =>
    html`<label class="card-progress">${node.label}<progress value=${node.value} max="1" aria-label=${node.label ?? ""}></progress></label>`,
};

/** @param {CardNode} node @param {SendText} [onSend] */
const renderNode = (node, onSend) => NODES[node.type]?.(node, onSend) ?? null;

/** @param {{schema: any, onSend?: SendText}} props */
export function Card({ schema, onSend }) {
  if (!schema?.root) return null;
  return html`<section class=${`ui-card ${schema.status}`} lang=${schema.locale === "und" ? undefined : schema.locale}>${renderNode(schema.root, onSend)}</section>`;
}
