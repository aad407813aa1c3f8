// A connected source: its tables are found in the kept catalogue, and loaded into the workspace.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { formatNumber, formatRecent, t } from "../../kit/words.js";
import { SourceProblem, callSources, loadSources, pathOf } from "./sources.js";

const EACH = 50;
const TYPING_MS = 250;

/** @typedef {import("./sources.js").Source} Source */

/** @param {string} name @param {string} search @param {number} offset */
const searchTables = (name, search, offset) =>
  callSources(`${pathOf(name)}/tables?${new URLSearchParams({ search, limit: String(EACH), offset: String(offset) })}`);

/** The tables that have the words; asked when one stops typing. @param {Source | null} source @param {string} search */
function useTables(source, search) {
  const found = useSignal(/** @type {{tables: any[], hasMore: boolean} | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const name = source?.name ?? "";
  /** @param {any[]} before @param {() => boolean} isWanted */
  const load = async (before, isWanted) => {
    problem.value = null;
    try {
      const page = await searchTables(name, search, before.length);
      if (isWanted()) found.value = { tables: [...before, ...page.tables], hasMore: page.has_more };
    } catch (error) {
      if (isWanted()) problem.value = error;
    }
  };
  useEffect(() => {
    if (!name) return undefined;
    let isWanted = true;
    const timer = setTimeout(() => load([], () => isWanted), found.value ? TYPING_MS : 0);
    return () => ((isWanted = false), clearTimeout(timer));
  }, [name, source?.catalogue_at, search]);
  const loadMore = () => {
    const before = found.value?.tables ?? [];
    return load(before, () => found.value?.tables === before); // Not behind those of a newer search.
  };
  return { found, problem, loadMore };
}

/**
 * Load rows at the source into a table; leaving cancels the query there.
 * @param {string} name @param {(table: string) => void} onLoaded
 */
function useLoading(name, onLoaded) {
  const running = useSignal(/** @type {{key: string, abort: AbortController} | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const stop = () => {
    running.value?.abort.abort();
    running.value = null;
  };
  useEffect(() => stop, [name]);
  /** @param {string} key of the table, empty for a query @param {any} body */
  const load = async (key, body) => {
    if (running.value) return;
    const mine = { key, abort: new AbortController() };
    running.value = mine;
    problem.value = null;
    try {
      const made = await callSources(`${pathOf(name)}/query`, { method: "POST", body, signal: mine.abort.signal });
      if (running.value === mine) onLoaded(made.table_name);
    } catch (error) {
      if (running.value === mine) problem.value = error;
    }
    if (running.value === mine) running.value = null;
  };
  return { running, problem, load, stop };
}

/** @typedef {ReturnType<typeof useLoading>} Loading */

/** In the place of the button that loads: the second click of a double click stops nothing. @param {{loading: Loading}} props */
const StopButton = ({ loading }) =>
  html`<button type="button" class="button" onClick=${(/** @type {MouseEvent} */ event) => event.detail < 2 && loading.stop()}>${t("run.stop")}</button>`;

/** @param {{table: any, loading: Loading}} props */
function FoundTable({ table, loading }) {
  const isMine = loading.running.value?.key === table.table_key;
  const named = table.schema ? `${table.schema}.${table.name}` : table.name;
  const columns = table.columns.map((/** @type {any} */ column) => column.name).join(", ");
  const rows = table.row_estimate;
  return html`<li class="source-table">
    <div>
      <strong dir="auto">${named}</strong> <span class="quiet small">${rows !== null && rows >= 0 && t("data.source_about_rows", { rows: formatNumber(rows) })}${table.is_view && t("data.source_is_view")}</span>
      <p class="note" dir="auto" title=${columns}>${columns || table.comment}</p>
    </div>
    ${
      isMine
        ? html`<${StopButton} loading=${loading} />`
        : html`<button type="button" class="button" disabled=${Boolean(loading.running.value)} aria-label=${t("data.source_load_table", { name: named })} onClick=${() => loading.load(table.table_key, { table_key: table.table_key })}>${t("data.source_load")}</button>`
    }
  </li>`;
}

/** One SELECT in the source's own dialect. @param {{name: string, loading: Loading}} props */
function QueryForm({ name, loading }) {
  const draft = `data-sql-${name}`;
  const sql = useSignal(readDraft(draft));
  const table = useSignal("");
  const isMine = loading.running.value?.key === "";
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    void loading.load("", { sql: sql.value, table_name: table.value.trim() });
  };
  /** @param {any} event */
  const change = (event) => {
    sql.value = event.currentTarget.value;
    storeDraft(draft, sql.value);
  };
  return html`<details class="fold chart-form" open=${Boolean(sql.peek())}><summary>${t("data.source_query")}</summary>
    <form onSubmit=${submit}>
      <div><label class="label" for="source-sql">${t("data.source_sql")}</label><textarea id="source-sql" class="field sql" rows="4" dir="ltr" spellcheck=${false} required maxlength="100000" placeholder="SELECT region, sum(amount) AS total FROM orders GROUP BY region" value=${sql.value} onInput=${change}></textarea></div>
      <div class="form-fields">
        <div><label class="label" for="source-table">${t("data.source_table_name")} <small>${t("data.source_optional")}</small></label><input id="source-table" class="field" dir="auto" autocomplete="off" maxlength="200" value=${table.value} onInput=${(/** @type {any} */ event) => (table.value = event.currentTarget.value)} /></div>
      </div>
      <div class="row">${
        isMine
          ? html`<${StopButton} loading=${loading} />`
          : html`<button class="button" disabled=${Boolean(loading.running.value) || !sql.value.trim()}>${t("data.source_load")}</button>`
      }</div>
    </form>
  </details>`;
}

/** The source of a name; fetched again with its catalogue on request. @param {string} name */
function useSource(name) {
  const source = useSignal(/** @type {Source | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const isRefreshing = useSignal(false);
  /** @param {string} path @param {any} [options] */
  const fetchSource = async (path, options) => {
    problem.value = null;
    try {
      source.value = await callSources(path, options);
    } catch (error) {
      problem.value = error;
    }
  };
  useEffect(() => {
    source.value = null;
    void fetchSource(pathOf(name));
  }, [name]);
  const refresh = async () => {
    isRefreshing.value = true;
    await fetchSource(`${pathOf(name)}/refresh`, { method: "POST" });
    isRefreshing.value = false;
    void loadSources();
  };
  return { source, problem, isRefreshing, refresh, retry: () => fetchSource(pathOf(name)) };
}

/** @param {{name: string, onLoaded: (table: string) => void}} props */
export function SourceView({ name, onLoaded }) {
  const { source, problem, isRefreshing, refresh, retry } = useSource(name);
  const search = useSignal("");
  const { found, problem: searchProblem, loadMore } = useTables(source.value, search.value);
  const loading = useLoading(name, onLoaded);
  const shown = source.value;
  if (!shown)
    return problem.value
      ? html`<${SourceProblem} problem=${problem.value} onRetry=${retry} />`
      : html`<div class="card" aria-hidden="true"><span class="shape"></span><span class="shape"></span><span class="shape w60"></span></div>`;
  const trouble = loading.problem.value ?? problem.value ?? searchProblem.value;
  const facts = [
    t(`data.source_kind.${shown.kind}`),
    t("data.source_tables", { tables: formatNumber(shown.table_count) }),
  ];
  if (shown.catalogue_at) facts.push(t("data.source_read_at", { time: formatRecent(shown.catalogue_at) }));
  return html`<section class="card source" aria-labelledby="source-title">
    <div class="row spread"><h1 id="source-title" dir="auto">${shown.name}</h1><button type="button" class="button" disabled=${isRefreshing.value} onClick=${refresh}>${t(isRefreshing.value ? "data.source_refreshing" : "data.source_refresh")}</button></div>
    <p class="quiet small">${facts.join(" · ")}<br /><code>${shown.address}</code></p>
    ${trouble && html`<${SourceProblem} problem=${trouble} />`}
    <input type="search" class="field" dir="auto" aria-label=${t("data.source_search")} placeholder=${t("data.source_search")} maxlength="200" value=${search.value} onInput=${(/** @type {any} */ event) => (search.value = event.currentTarget.value)} />
    <p class="unseen" role="status">${loading.running.value ? t("data.source_loading") : found.value && !found.value.tables.length ? t("data.source_nothing") : ""}</p>
    ${found.value && !found.value.tables.length && html`<p class="note" aria-hidden="true">${t("data.source_nothing")}</p>`}
    <ul class="list" aria-busy=${Boolean(loading.running.value)}>${found.value?.tables.map((table) => html`<${FoundTable} key=${table.table_key} table=${table} loading=${loading} />`)}</ul>
    ${found.value?.hasMore && html`<button type="button" class="button plain" onClick=${loadMore}>${t("data.source_more")}</button>`}
    ${shown.tables_truncated && html`<p class="note">${t("data.source_cut")}</p>`}
    <${QueryForm} key=${name} name=${name} loading=${loading} />
  </section>`;
}
