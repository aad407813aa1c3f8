// The report on the page: charts between its paragraphs; a paragraph that is clicked can be changed in its place.

import { html, useEffect, useMemo, useRef, useSignal } from "../../vendor/preact.js";
import { isCloseKey } from "../../kit/keys.js";
import { Markdown } from "../../kit/markdown.js";
import { ConnectionNotice, ModelNote, ProblemNotice, TakenBackNotice } from "../../kit/problems.js";
import { formatDatum, formatNumber, guessLanguage, t } from "../../kit/words.js";
import { PlainPicture } from "./chart_picture.js";
import { Report } from "./report.js";

/** @typedef {{sessionId: string, question: string, charts: any[]}} ReportSubject the charts of a question */

const EMBED = /^!\[([^\]]*)\]\((chart|table):\/\/([^)\s]+)[^)]*\)$/;

/** @param {{rows: any}} props */
function EmbeddedTable({ rows: { columns, rows, row_count: total } }) {
  const names = columns.map((/** @type {any} */ column) => column.name ?? column);
  /** @param {string} name */
  const side = (name) =>
    rows.every((/** @type {any} */ row) => ["number", "undefined"].includes(typeof (row[name] ?? undefined)))
      ? "number"
      : undefined;
  return html`<div class="wide-table" tabindex="0"><table>
    <thead><tr>${names.map((/** @type {string} */ name) => html`<th scope="col" class=${side(name)}>${name}</th>`)}</tr></thead>
    <tbody>${rows.map((/** @type {any} */ row) => html`<tr>${names.map((/** @type {string} */ name) => html`<td class=${side(name)}>${typeof row[name] === "number" ? formatDatum(row[name]) : String(row[name] ?? "")}</td>`)}</tr>`)}</tbody>
  </table></div>
  ${total > rows.length && html`<p class="note">${t("data.report_rows", { shown: formatNumber(rows.length), total: formatNumber(total) })}</p>`}`;
}

/** @param {{report: Report, chart: any, caption: string}} props */
function EmbeddedChart({ chart, caption }) {
  const drawn = useMemo(() => ({ vega_lite: chart.result.vega_lite }), [chart]);
  return html`<${PlainPicture} drawn=${drawn} title=${caption} />`;
}

/** A name as an address carries it; readers type a bare "%" too. @param {string} name */
function decodeName(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** A picture or a table between paragraphs. @param {{report: Report, parts: RegExpMatchArray}} props */
function Embed({ report, parts: [, caption, kind, name] }) {
  const chart = kind === "chart" && report.charts.get(name);
  const rows = kind === "table" && report.tables.get(decodeName(name).toLowerCase());
  return html`<figure>
    ${chart && html`<${EmbeddedChart} report=${report} chart=${chart} caption=${caption} />`}
    ${rows && html`<${EmbeddedTable} rows=${rows} />`}
    ${!chart && !rows && html`<p class="note">${t(kind === "table" ? "data.report_table_later" : "data.report_no_chart", { name })}</p>`}
    <figcaption dir="auto">${caption}</figcaption>
  </figure>`;
}

/** @param {{text: string, onDone: (text: string) => void}} props */
function BlockEditor({ text, onDone }) {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => field.current?.focus(), []);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const isDone = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (isCloseKey(event)) onDone(text);
    else if (isDone) onDone(field.current?.value ?? text);
  };
  return html`<textarea ref=${field} class="field block-field" dir="auto" aria-label=${t("data.report_block")} onKeyDown=${press} onBlur=${() => onDone(field.current?.value ?? text)}>${text}</textarea>`;
}

/** @param {{report: Report, text: string, place: number, edited: import("../../vendor/preact.js").Signal<number>}} props */
function ReportBlock({ report, text, place, edited }) {
  const done = (/** @type {string} */ changed) => {
    if (edited.value !== place) return;
    edited.value = -1;
    report.edit(place, changed);
  };
  if (edited.value === place) return html`<${BlockEditor} text=${text} onDone=${done} />`;
  const parts = text.match(EMBED);
  const canEdit = report.phase.value === "done";
  return html`<div class="report-block">
    ${parts ? html`<${Embed} report=${report} parts=${parts} />` : html`<div lang=${guessLanguage(text)} onClick=${() => canEdit && (edited.value = place)}><${Markdown} text=${text} base=${1} /></div>`}
    ${canEdit && html`<button type="button" class="icon no-print" aria-label=${t("data.report_edit", { number: place + 1 })} title=${t("data.report_edit_short")} onClick=${() => (edited.value = place)}><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 19l1-4L16 5l3 3L9 18zM14 7l3 3" /></svg></button>`}
  </div>`;
}

/** @param {{subject: ReportSubject, onClose: () => void}} props */
export function ReportView({ subject, onClose }) {
  const report = useMemo(() => new Report(subject.sessionId, subject.question, subject.charts), [subject]);
  const edited = useSignal(-1);
  const problem = useSignal(/** @type {any} */ (null));
  useEffect(() => (report.open(), () => report.leave()), [report]);
  const isWriting = report.phase.value === "writing";
  const blocks = report.blocks.value;
  const add = () => {
    report.add(t("data.report_new_block"));
    edited.value = blocks.length;
  };
  return html`<article class="card report" aria-busy=${isWriting}>
    <div class="row spread no-print">
      <button type="button" class="button plain" onClick=${onClose}>${t("data.report_back")}</button>
      <div class="row">
        ${isWriting ? html`<button key="stop" type="button" class="button" onClick=${(/** @type {MouseEvent} */ event) => event.detail < 2 && report.stop()}>${t("run.stop")}</button>` : html`<button key="write" type="button" class="button" onClick=${() => void report.write()}>${t("data.report_rewrite")}</button>`}
        <button type="button" class="button" onClick=${() => window.print()}>${t("data.report_print")}</button>
        <button type="button" class="button primary" disabled=${isWriting || !blocks.length} onClick=${() => report.download().catch((error) => (problem.value = error))}>${t("data.report_download")}</button>
      </div>
    </div>
    ${!isWriting && blocks.length > 0 && html`<p class="note no-print">${t("data.report_note")}</p>`}
    <h1 class="unseen">${t("data.report")}</h1>
    <${ConnectionNotice} attempts=${report.attempts.value} />
    ${isWriting && html`<${TakenBackNotice} takenBack=${report.takenBack.value} />`}
    ${blocks.map((text, place) => html`<${ReportBlock} key=${place} report=${report} text=${text} place=${place} edited=${edited} />`)}
    ${isWriting && !blocks.length && html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span><span class="shape w60"></span></div>`}
    ${!isWriting && html`<div class="row no-print"><button type="button" class="button" onClick=${add}>${t("data.report_add")}</button></div>`}
    ${(problem.value ?? report.problem.value) && html`<${ProblemNotice} problem=${problem.value ?? report.problem.value} onRetry=${() => void report.write()} />`}
    ${!isWriting && html`<${ModelNote} topic="data" />`}
    <p class="unseen" role="status">${isWriting ? t("run.working") : report.problem.value ? "" : t("chat.answered")}</p>
  </article>`;
}
