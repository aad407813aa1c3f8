// The rows of a table, a page of them at a time: sorted by a column, and those that contain a text.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { ProblemNotice } from "../../kit/problems.js";
import { formatDatum, formatNumber, t } from "../../kit/words.js";
import { callTables } from "./tables_api.js";

const SIZES = [12, 50, 200];
const TYPING_MS = 250;

/**
 * @typedef {object} View which rows are wanted
 * @property {number} start the place of the first one, from 0
 * @property {number} size
 * @property {string} column they are sorted by; empty for the order of the file
 * @property {boolean} isDown the largest first
 * @property {string} field the column that contains the text
 * @property {string} text
 */

/** @param {unknown} value */
export function formatCell(value) {
  if (value === null || value === undefined) return html`<span class="quiet">–</span>`;
  return typeof value === "number" ? formatDatum(value) : String(value);
}

/** Whether the column is set right: by what it shows, as its cells are. @param {any[]} rows @param {string} name */
const isNumeric = (rows, name) => rows.some((row) => typeof row[name] === "number");

/** What the list of tables has of the rows already. @param {any} table @param {View} view */
function readSample(table, view) {
  if (view.column || view.text || view.start) return null;
  const rows = table.sample_rows ?? [];
  const isWhole = rows.length >= Math.min(view.size, table.row_count);
  return isWhole ? { rows: rows.slice(0, view.size), count: table.row_count, view } : null;
}

/** @param {any} table @param {View} view */
async function loadRows(table, view) {
  const data = await callTables("/api/tables/sample-table", {
    table: table.name,
    size: view.size,
    offset: view.start,
    method: view.isDown ? "bottom" : "head",
    order_by_fields: view.column ? [view.column] : [],
    filters: view.text ? [{ op: "contains", field: view.field, value: view.text }] : [],
  });
  return { rows: data.rows, count: data.total_row_count, view };
}

/** Load the rows of a view; those of the view before stay until they are there. @param {any} table @param {View} view */
function useRows(table, view) {
  const page = useSignal(readSample(table, view));
  const isLoading = useSignal(false);
  const problem = useSignal(/** @type {any} */ (null));
  const attempt = useSignal(0);
  useEffect(() => {
    let isCurrent = true;
    problem.value = null;
    const sample = readSample(table, view);
    isLoading.value = !sample;
    if (sample) page.value = sample;
    else
      loadRows(table, view)
        .then(
          (data) => isCurrent && (page.value = data),
          (error) => isCurrent && (problem.value = error),
        )
        .finally(() => isCurrent && (isLoading.value = false));
    return () => void (isCurrent = false);
  }, [table, ...Object.values(view), attempt.value]);
  return { page, isLoading, problem, retry: () => (attempt.value += 1) };
}

/** The next order of a column: ascending, descending, that of the file. @param {View} view @param {string} name */
function turnOrder(view, name) {
  if (view.column !== name) return { column: name, isDown: false };
  return view.isDown ? { column: "", isDown: false } : { isDown: true };
}

/** @param {{view: View, name: string, isRight: boolean, onTurn: () => void}} props the view of the rows that are shown */
function Heading({ view, name, isRight, onTurn }) {
  const isSorted = view.column === name;
  const order = isSorted ? (view.isDown ? "descending" : "ascending") : undefined;
  return html`<th scope="col" class=${isRight ? "number" : ""} aria-sort=${order}><button type="button" class="sort" title=${t("data.sort", { name })} onClick=${onTurn}><span dir="auto">${name}</span><span class="sort-mark" aria-hidden="true">${order ? (view.isDown ? "↓" : "↑") : ""}</span></button></th>`;
}

/** @param {{table: any, view: View, page: any, isLoading: boolean, onChange: (fields: Partial<View>) => void}} props */
function Cells({ table, view, page, isLoading, onChange }) {
  const { rows } = page;
  const names = table.columns.map((/** @type {any} */ column) => column.name);
  return html`<div class="wide-table" tabindex="0" role="region" aria-label=${t("data.rows")} aria-busy=${isLoading}><table>
    <thead><tr>${names.map((/** @type {string} */ name) => html`<${Heading} key=${name} view=${page.view} name=${name} isRight=${isNumeric(rows, name)} onTurn=${() => onChange({ ...turnOrder(view, name), start: 0 })} />`)}</tr></thead>
    <tbody>${rows.map((/** @type {any} */ row) => html`<tr>${names.map((/** @type {string} */ name) => html`<td class=${typeof row[name] === "number" ? "number" : ""} dir="auto">${formatCell(row[name])}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** Find rows by a text in one column; it is sent when one stops typing. @param {{table: any, view: View, onChange: (fields: Partial<View>) => void}} props */
function Filter({ table, view, onChange }) {
  const text = useSignal(view.text);
  useEffect(() => {
    const timer = setTimeout(() => text.value !== view.text && onChange({ text: text.value, start: 0 }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text.value]);
  return html`<div class="row-filter" role="search" aria-label=${t("data.filter")}>
    <select class="field" aria-label=${t("data.filter_column")} value=${view.field} onChange=${(/** @type {any} */ event) => onChange({ field: event.currentTarget.value, start: 0 })}>${table.columns.map((/** @type {any} */ column) => html`<option value=${column.name}>${column.name}</option>`)}</select>
    <input type="search" class="field" dir="auto" aria-label=${t("data.filter")} placeholder=${t("data.filter_text")} maxlength="200" value=${text.value} onInput=${(/** @type {any} */ event) => (text.value = event.currentTarget.value)} />
  </div>`;
}

/** A step that leads nowhere keeps the focus. @param {{label: string, isEnd: boolean, onClick: () => void}} props */
const Step = ({ label, isEnd, onClick }) =>
  html`<button type="button" class="button plain" aria-disabled=${isEnd} onClick=${() => !isEnd && onClick()}>${label}</button>`;

/** Tells which rows are shown, and steps from those that are wanted. @param {{view: View, page: any, onChange: (fields: Partial<View>) => void}} props */
function Pager({ view, page, onChange }) {
  const { rows, count } = page;
  const { start } = page.view;
  const places = {
    first: formatNumber(start + 1),
    last: formatNumber(start + rows.length),
    count: formatNumber(count),
  };
  return html`<nav class="row pager" aria-label=${t("data.rows")}>
    <p class="small quiet" role="status">${count ? t("data.rows_of", places) : t("data.no_rows")}</p>
    <${Step} label=${t("data.rows_before")} isEnd=${view.start === 0} onClick=${() => onChange({ start: Math.max(0, view.start - view.size) })} />
    <${Step} label=${t("data.rows_after")} isEnd=${view.start + view.size >= count} onClick=${() => onChange({ start: view.start + view.size })} />
    <label class="small quiet">${t("data.rows_each")} <select class="field" value=${view.size} onChange=${(/** @type {any} */ event) => onChange({ size: Number(event.currentTarget.value), start: 0 })}>${SIZES.map((size) => html`<option value=${size}>${size}</option>`)}</select></label>
  </nav>`;
}

/** The column that rows are found by at first: one with texts, if there is one. @param {any} table @returns {string} */
function chooseField({ columns, sample_rows: rows = [] }) {
  const names = columns.map((/** @type {any} */ column) => column.name);
  return names.find((/** @type {string} */ name) => typeof rows[0]?.[name] === "string") ?? names[0] ?? "";
}

/** @param {{table: any}} props */
export function TableRows({ table }) {
  const field = chooseField(table);
  const chosen = useSignal(
    /** @type {View} */ ({ start: 0, size: SIZES[0], column: "", isDown: false, field, text: "" }),
  );
  const view = chosen.value;
  const { page, isLoading, problem, retry } = useRows(table, view);
  /** @param {Partial<View>} fields */
  const change = (fields) => (chosen.value = { ...chosen.value, ...fields });
  const shown = page.value ?? { rows: [], count: 0, view };
  const isLong = table.row_count > SIZES[0];
  return html`${isLong && html`<${Filter} table=${table} view=${view} onChange=${change} />`}
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} onRetry=${retry} />`}
    <${Cells} table=${table} view=${view} page=${shown} isLoading=${isLoading.value} onChange=${change} />
    ${isLong && html`<${Pager} view=${view} page=${shown} onChange=${change} />`}`;
}
