// Data: drop a file, see the table, ask, get charts.

import { html, signal, useEffect, useSignal } from "../../vendor/preact.js";
import { interceptLinks, loadLater, mountPage } from "../../kit/client_page.js";
import { useDeletion } from "../../kit/deletion.js";
import { readDraft, settleDraft, storeDraft } from "../../kit/drafts.js";
import { isUuid } from "../../kit/ids.js";
import { limits } from "../../kit/page_data.js";
import { ProblemNotice, requireSize } from "../../kit/problems.js";
import { isFinal } from "../../kit/run_client.js";
import { countCharacters, formatNumber, t } from "../../kit/words.js";
import { AlsoTables, listAsked } from "./also_tables.js";
import { Analysis } from "./analysis.js";
import { ChartForm } from "./chart_form.js";
import { followLines } from "./line_stream.js";
import { readPastedTables } from "./pasted.js";
import { ResultView } from "./result_view.js";
import { SourceList, addressSource } from "./sources.js";
import { TableView } from "./table_view.js";
import { callTables } from "./tables_api.js";
import { Trail } from "./trail.js";

const ReportView = loadLater(async () => (await import("./report_view.js")).ReportView);
const SourceForm = loadLater(async () => (await import("./source_form.js")).SourceForm);
const SourceView = loadLater(async () => (await import("./source_view.js")).SourceView);

const SUGGEST = "/api/agent/get-recommendation-questions";

const tables = signal(/** @type {any[] | null} */ (null));
const chosen = signal("");
const analysis = signal(/** @type {Analysis | null} */ (null));
const report = signal(/** @type {import("./report_view.js").ReportSubject | null} */ (null));
const source = signal(/** @type {string | null} */ (null)); // The name of the one that is shown; empty for the form.
const problem = signal(/** @type {any} */ (null));
const busy = signal(false);
let uploaded = Promise.resolve(); // A question waits for it: it is about the file that was dropped before.
const stamp = signal(0);

/** @param {string} [name] the table to show */
async function loadTables(name) {
  try {
    tables.value = (await callTables("/api/tables/list-tables")).tables;
    const wanted = name ?? new URLSearchParams(location.search).get("table") ?? "";
    const found = tables.value?.find((table) => table.name === wanted);
    if (wanted && !found) problem.value = { code: "TABLE_NOT_FOUND", message: wanted };
    chosen.value = (found ?? tables.value?.[0])?.name ?? "";
  } catch (error) {
    problem.value = error;
  }
}

/** The keyboard goes on at the view if what had the focus is gone. */
const keepFocus = () =>
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
  });

/** Show a table that was just made, unless a question was asked meanwhile. @param {string} name */
async function showNewTable(name) {
  const before = analysis.value;
  await loadTables(name);
  if (analysis.value !== before) return;
  analysis.value = null;
  source.value = null;
  history.pushState(null, "", `/data?table=${encodeURIComponent(name)}`);
  keepFocus();
}

/** @param {Iterable<File>} files */
function upload(files) {
  problem.value = null;
  busy.value = true;
  const before = analysis.value; // A question that was asked meanwhile stays.
  uploaded = uploaded.then(() => uploadAll(files, before));
  return uploaded;
}

/** @param {Iterable<File>} files @param {Analysis | null} before what the page shows instead of a table */
async function uploadAll(files, before) {
  busy.value = true;
  try {
    for (const file of files) {
      requireSize(file, limits.table_bytes);
      const form = new FormData();
      form.set("replace_source", "true");
      form.set("file", file);
      const made = await callTables("/api/tables/create-table", form);
      if (analysis.value === before) await showNewTable(made.table_name);
      else await loadTables(chosen.value);
    }
  } catch (error) {
    problem.value = error;
  }
  busy.value = false;
}

/** Few ask for it, so it is loaded then. */
async function tryExample() {
  busy.value = true;
  try {
    const { makeExample } = await import("./example.js");
    await upload([makeExample()]);
  } catch (error) {
    problem.value = error;
    busy.value = false;
  }
}

/** @param {string} question @param {any} [pause] @param {Analysis | null} [before] */
function ask(question, pause, before) {
  const made = new Analysis(question, before);
  analysis.value?.leave();
  analysis.value = made;
  void made.start(listAsked(chosen.value, tables.value ?? []), pause).then(() => settle(made));
  const stop = made.sessionId.subscribe((id) => {
    if (!id) return;
    history.pushState(null, "", `/data/${id}?table=${encodeURIComponent(chosen.value)}`);
    queueMicrotask(() => stop());
  });
}

/** @param {Analysis} made */
function settle(made) {
  stamp.value += 1;
  if (!made.abort.signal.aborted) settleDraft("data", made.question, made.sessionId.value !== "");
}

/** Ask again; a question that the server may not have seen is sent again as the same one. @param {Analysis} made */
function retry(made) {
  if (made.sessionId.value || isFinal(made.problem.value)) ask(made.question);
  else void made.submitAgain().then(() => settle(made));
}

/** The report has an address of its own, below that of its question. */
function openReport() {
  const made = analysis.value;
  if (!made) return;
  if (!location.pathname.endsWith("/report"))
    history.pushState(null, "", `/data/${made.sessionId.value}/report${location.search}`);
  report.value = { sessionId: made.sessionId.value, question: made.title, charts: made.state.charts };
}

function closeReport() {
  history.pushState(null, "", `/data/${analysis.value?.sessionId.value}${location.search}`);
  report.value = null;
}

function readAddress() {
  const [, , id, view] = location.pathname.split("/");
  report.value = null;
  source.value = null;
  if (id && id === analysis.value?.sessionId.value) {
    if (view === "report") openReport();
    return;
  }
  analysis.value?.leave();
  analysis.value = null;
  if (id && isUuid(id)) {
    const opened = (analysis.value = new Analysis(""));
    void opened.resume(id).then(() => view === "report" && analysis.value === opened && openReport());
  } else if (id) problem.value = { code: "AGENT_SESSION_NOT_FOUND", message: "" };
  const query = new URLSearchParams(location.search);
  source.value = query.get("source");
  const table = query.get("table");
  if (table && tables.value) chosen.value = table;
}

/** Where a file is chosen or dropped; the main thing of the page while there is no table. @param {{children?: any}} props */
function DropZone({ children }) {
  /** @param {any} event */
  const change = (event) => {
    void upload([...event.currentTarget.files]);
    event.currentTarget.value = "";
  };
  return html`<div class="drop">
    <div class="row"><label class=${children ? "button primary" : "button"}><input type="file" accept=".csv,.tsv,.txt,.xlsx,.xls,.json,.parquet,.gz" onChange=${change} />${t(busy.value ? "data.loading" : "data.choose")}</label>${children}</div>
    <p class="note">${t("data.drop_note")}</p>
  </div>`;
}

/** @param {{table: any}} props */
function Suggestions({ table }) {
  const questions = useSignal(/** @type {any[]} */ ([]));
  useEffect(() => {
    const abort = new AbortController();
    const clear = () => (questions.value = []);
    const take = (/** @type {any} */ line) => {
      if (line.type === "question") questions.value = [...questions.value, line];
      return line.type === "done" || line.type === "error";
    };
    clear();
    const body = { input_tables: [{ name: table.name }] };
    followLines({ path: SUGGEST, body, onBegin: clear, onLine: take }, abort.signal).catch(() => undefined);
    return () => abort.abort();
  }, [table]);
  return html`<div class="row suggestions">${questions.value.map((line) => html`<button type="button" class="chip" onClick=${() => ask(line.text)}>${line.text}</button>`)}</div>`;
}

function AskForm() {
  const text = useSignal(readDraft("data"));
  const isForked = useSignal(true);
  const isWaiting = useSignal(false); // For a file; a second Enter asks nothing.
  const over = countCharacters(text.value) - limits.message_characters;
  const before = analysis.value?.isOver.value && analysis.value.state.charts.length ? analysis.value : null;
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    const question = text.value.trim();
    if (!question || isWaiting.value || over > 0) return;
    const isUpload = busy.value;
    isWaiting.value = true;
    await uploaded;
    isWaiting.value = false;
    if (isUpload && problem.value) return; // The file was refused: the question stays in its field.
    ask(question, undefined, isForked.value ? before : null);
    text.value = "";
    storeDraft("data", "");
  };
  /** @param {any} event */
  const change = (event) => {
    text.value = event.currentTarget.value;
    storeDraft("data", text.value);
  };
  return html`<form class="ask-data" onSubmit=${submit}>
    <label class="label" for="data-question">${t("data.ask_label")}</label>
    <div class="row-fill"><input id="data-question" type="text" class="field" dir="auto" autocomplete="off" placeholder=${t("data.ask_placeholder")} value=${text.value} onInput=${change} /><button class="button primary" disabled=${!text.value.trim() || isWaiting.value || over > 0}>${t("data.ask")}</button></div>
    ${over > 0 && html`<p class="count over" role="alert">${t("cast.too_long", { over: formatNumber(over) })}</p>`}
    ${before && html`<label class="fork"><input type="checkbox" checked=${isForked.value} onChange=${(/** @type {any} */ event) => (isForked.value = event.currentTarget.checked)} /> ${t("data.fork")}</label>`}
  </form>`;
}

/** @param {{shown: any[]}} props */
function TableList({ shown }) {
  if (!shown.length) return html`<p class="note">${t("data.no_tables")}</p>`;
  return html`<ul class="list">${shown.map((table) => html`<li key=${table.name}><a class="table-link" href=${`/data?table=${encodeURIComponent(table.name)}`} aria-current=${table.name === chosen.value && source.value === null ? "true" : undefined}><span dir="auto">${table.name}</span><span class="session-time">${t("data.row_count", { rows: formatNumber(table.row_count) })}</span></a></li>`)}</ul>`;
}

const Empty = () =>
  html`<div class="welcome"><h1>${t("data.title")}</h1><p class="lead">${t("data.lead")}</p>
    <${DropZone}><button type="button" class="button" disabled=${busy.value} onClick=${tryExample}>${t("data.example")}</button><a class="button" href=${addressSource("")}>${t("data.source_connect")}</a></${DropZone}></div>`;

/** Whether the page shows nothing but where to begin: the place for files is there. */
const isEmpty = () =>
  !analysis.value && !chosen.value && source.value === null && Boolean(tables.value || problem.value);

/** @param {string} name @param {{keepalive: boolean}} options */
const eraseTable = (name, options) => callTables("/api/tables/delete-table", { table_name: name }, options);

/** @param {{shownTables: any[], notice: any, onRemove: (name: string) => void}} props */
function Workspace({ shownTables, notice, onRemove }) {
  const table = tables.value?.find((each) => each.name === chosen.value);
  const shown = analysis.value;
  if (report.value) return html`<${ReportView} subject=${report.value} onClose=${closeReport} />`;
  if (source.value) return html`<${SourceView} key=${source.value} name=${source.value} onLoaded=${showNewTable} />`;
  if (source.value === "")
    return html`<${SourceForm} onConnected=${(/** @type {string} */ name) => go(addressSource(name))} />`;
  return html`${shown && html`<${ResultView} key=${shown} onReport=${openReport} analysis=${shown} onReply=${ask} onRetry=${shown.question ? () => retry(shown) : undefined} />`}
    ${table ? html`${!shown && html`<h1 class="unseen">${t("nav.data")}</h1>`}<${AskForm} /><${AlsoTables} chosen=${chosen.value} tables=${shownTables} /><${Suggestions} table=${table} /><${ChartForm} key=${table} table=${table} />${notice}<${TableView} table=${table} onRemove=${() => onRemove(table.name)} />` : isEmpty() && html`${notice}<${Empty} />`}
    ${!tables.value && !problem.value && html`<div class="card" aria-hidden="true"><span class="shape"></span><span class="shape"></span><span class="shape"></span></div>`}`;
}

/** Leave a question that was deleted. @param {string} id */
function forget(id) {
  if (analysis.value?.sessionId.value !== id) return;
  history.replaceState(null, "", "/data");
  readAddress();
}

/** @param {string} address of another view */
function go(address) {
  history.pushState(null, "", address);
  problem.value = null;
  readAddress();
  window.scrollTo(0, 0); // On a phone the lists are below what they open.
  keepFocus();
}

const follow = interceptLinks("/data", go);

/** Leave a source that was deleted. @param {string} name */
function forgetSource(name) {
  if (source.value === name) go("/data");
}

function App() {
  const deletion = useDeletion({
    erase: eraseTable,
    onDeleted: () => void loadTables(chosen.value),
    onProblem: (error) => (problem.value = error),
  });
  const shown = (tables.value ?? []).filter((table) => !deletion.isDoomed(table.name));
  /** @param {string} name */
  const remove = (name) => {
    deletion.remove(name);
    chosen.value = shown.find((table) => table.name !== name)?.name ?? "";
    if (!analysis.value) history.replaceState(null, "", "/data");
  };
  /** @param {any} event */
  const drop = (event) => {
    event.preventDefault();
    void upload([...event.dataTransfer.files]);
  };
  useEffect(() => {
    const paste = (/** @type {ClipboardEvent} */ event) => {
      const files = report.value ? [] : readPastedTables(event);
      if (!files.length) return;
      event.preventDefault();
      void upload(files);
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, []);
  return html`<div class="data-grid" onClick=${follow} onDrop=${drop} onDragOver=${(/** @type {Event} */ event) => event.preventDefault()}>
    <aside class="tables" aria-label=${t("data.tables")}>${tables.value || problem.value ? !isEmpty() && html`<${DropZone} />` : html`<div class="drop" aria-hidden="true"><span class="shape"></span></div>`}<h2>${t("data.tables")}</h2><${TableList} shown=${shown} /><h2>${t("data.sources")}</h2><${SourceList} current=${source.value} onDeleted=${forgetSource} /><h2>${t("data.trail")}</h2><${Trail} stamp=${stamp.value} current=${analysis.value?.sessionId.value ?? ""} onDeleted=${forget} /></aside>
    <div class="bench">${problem.value && html`<${ProblemNotice} problem=${problem.value} onRetry=${tables.value ? undefined : () => ((problem.value = null), loadTables())} />`}<${Workspace} shownTables=${shown} notice=${deletion.notice} onRemove=${remove} /></div>
  </div>`;
}

addEventListener("popstate", readAddress);
readAddress();
void loadTables();
mountPage(App);
