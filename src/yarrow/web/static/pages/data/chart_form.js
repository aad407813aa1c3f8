// A chart by choice instead of by words: grouped, filtered and cut by `sample-table` over all rows, drawn by the server.

import { html, useSignal } from "../../vendor/preact.js";
import { ProblemNotice } from "../../kit/problems.js";
import { formatNumber, t } from "../../kit/words.js";
import { PlainPicture } from "./chart_picture.js";
import { callTables } from "./tables_api.js";

/**
 * @typedef {{name: string, type: string}} Column
 * @typedef {{group: string, measure: string, how: string, kind: string, top: string, column: string, comparison: string, value: string}} Choice
 * @typedef {{title: string, note: string, drawn: any}} MadeChart
 */

const NUMBERS = new Set(["integer", "number", "duration"]);
const TIMES = new Set(["date", "datetime", "time"]);
const HOWS = ["sum", "avg", "min", "max"];
const KINDS = ["bar", "line"];
const TOPS = ["5", "10", "20", "50"];
const POINTS = 500; // Of a line, which has all its groups in their order.

/** @param {Column | undefined} column */
const listComparisons = (column) =>
  NUMBERS.has(column?.type ?? "") || TIMES.has(column?.type ?? "") ? ["least", "most", "is"] : ["is", "contains"];

/** @param {Column[]} columns @returns {Choice} */
function chooseFirst(columns) {
  const group = columns.find(({ type }) => !NUMBERS.has(type)) ?? columns[0];
  const measure = columns.find((column) => NUMBERS.has(column.type) && column !== group)?.name ?? "";
  const kind = TIMES.has(group.type) ? "line" : "bar";
  return { group: group.name, measure, how: "sum", kind, top: "10", column: "", comparison: "is", value: "" };
}

/** @param {Choice} choice @param {Column[]} columns */
function describeFilters({ column, comparison, value }, columns) {
  const chosen = columns.find(({ name }) => name === column);
  if (!chosen || !value.trim()) return [];
  const typed = NUMBERS.has(chosen.type) ? Number(value) : value.trim();
  const wanted = {
    is: { op: "in", values: [typed] },
    contains: { op: "contains", value: typed },
    least: { op: "range", min: typed },
    most: { op: "range", max: typed },
  }[comparison];
  return [{ field: column, ...wanted }];
}

/** @param {any} table @param {Choice} choice @returns {Promise<MadeChart | null>} null if no row is left */
async function makeChart(table, choice) {
  const { group, measure, how, kind, top } = choice;
  const isLine = kind === "line";
  const name = measure ? `${measure}_${how}` : "_count";
  const { rows, total_row_count: groups } = await callTables("/api/tables/sample-table", {
    table: table.name,
    select_fields: [group],
    aggregate_fields_and_functions: [measure ? [measure, how] : [null, "count"]],
    filters: describeFilters(choice, table.columns),
    method: isLine ? "head" : "bottom",
    order_by_fields: [isLine ? group : name],
    size: isLine ? POINTS : Number(top),
  });
  if (!rows.length) return null;
  const label = measure ? t(`data.form_label_${how}`, { column: measure }) : t("data.form_count");
  const drawn = {
    chart_type: isLine ? "Line Chart" : "Bar Chart",
    encodings: { x: group, y: label },
    rows: rows.map((/** @type {any} */ row) => ({ [group]: row[group], [label]: row[name] })),
  };
  const note = t("data.form_note", { shown: formatNumber(rows.length), groups: formatNumber(groups) });
  return { title: t("data.form_chart", { measure: label, group }), note, drawn };
}

/** @param {{id: string, label: string, value: string, options: [string, string][], onChange: (value: string) => void}} props */
const Choose = ({ id, label, value, options, onChange }) =>
  html`<div><label class="label" for=${`form-${id}`}>${label}</label>
    <select id=${`form-${id}`} class="field" value=${value} onChange=${(/** @type {any} */ event) => onChange(event.currentTarget.value)}>${options.map(([key, words]) => html`<option value=${key}>${words}</option>`)}</select></div>`;

/** @param {{choice: Choice, columns: Column[], onChange: (changed: Partial<Choice>) => void}} props */
function Fields({ choice, columns, onChange }) {
  const names = columns.map(({ name }) => /** @type {[string, string]} */ ([name, name]));
  const numbers = columns.filter(({ type }) => NUMBERS.has(type)).map(({ name }) => [name, name]);
  const filtered = columns.find(({ name }) => name === choice.column);
  /** @param {string} field @param {string[]} keys @returns {[string, string][]} */
  const name = (field, keys) => keys.map((key) => [key, t(`data.form_${field}_${key}`)]);
  /** @param {string} column */
  const filter = (column) =>
    onChange({ column, comparison: listComparisons(columns.find((each) => each.name === column))[0], value: "" });
  const change = (/** @type {string} */ field) => (/** @type {string} */ value) => onChange({ [field]: value });
  return html`<div class="form-fields">
    <${Choose} id="measure" label=${t("data.form_measure")} value=${choice.measure} options=${[["", t("data.form_count")], ...numbers]} onChange=${change("measure")} />
    ${choice.measure && html`<${Choose} id="how" label=${t("data.form_how")} value=${choice.how} options=${name("how", HOWS)} onChange=${change("how")} />`}
    <${Choose} id="group" label=${t("data.form_group")} value=${choice.group} options=${names} onChange=${change("group")} />
    <${Choose} id="kind" label=${t("data.form_kind")} value=${choice.kind} options=${name("kind", KINDS)} onChange=${change("kind")} />
    ${choice.kind === "bar" && html`<${Choose} id="top" label=${t("data.form_top")} value=${choice.top} options=${TOPS.map((top) => [top, top])} onChange=${change("top")} />`}
    <${Choose} id="column" label=${t("data.form_where")} value=${choice.column} options=${[["", t("data.form_all")], ...names]} onChange=${filter} />
    ${
      filtered &&
      html`<${Choose} id="comparison" label=${t("data.form_comparison")} value=${choice.comparison} options=${name("comparison", listComparisons(filtered))} onChange=${change("comparison")} />
        <div><label class="label" for="form-value">${t("data.form_value")}</label><input id="form-value" class="field" dir="auto" required type=${NUMBERS.has(filtered.type) ? "number" : "text"} step="any" value=${choice.value} onInput=${(/** @type {any} */ event) => onChange({ value: event.currentTarget.value })} /></div>`
    }
  </div>`;
}

/** @param {{table: any}} props */
export function ChartForm({ table }) {
  const choice = useSignal(chooseFirst(table.columns));
  const made = useSignal(/** @type {MadeChart | null} */ (null));
  const isNothing = useSignal(false);
  const isBusy = useSignal(false);
  const problem = useSignal(/** @type {any} */ (null));
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    try {
      made.value = await makeChart(table, choice.value);
      isNothing.value = !made.value;
    } catch (error) {
      problem.value = error;
    }
    isBusy.value = false;
  };
  return html`<details class="fold chart-form"><summary>${t("data.form_title")}</summary>
    <form onSubmit=${submit}>
      <${Fields} choice=${choice.value} columns=${table.columns} onChange=${(/** @type {Partial<Choice>} */ changed) => (choice.value = { ...choice.value, ...changed })} />
      <div class="row"><button class="button" disabled=${isBusy.value}>${t("data.form_draw")}</button></div>
    </form>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    <div role="status">${isNothing.value && html`<p class="note">${t("data.form_nothing")}</p>`}${made.value && html`<p class="label">${made.value.note}</p>`}</div>
    ${made.value && html`<figure key=${made.value}><figcaption><strong dir="auto">${made.value.title}</strong></figcaption><${PlainPicture} drawn=${made.value.drawn} title=${made.value.title} /></figure>`}
  </details>`;
}
