// A table: its rows and a profile of each column.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { IconButton } from "../../kit/icons.js";
import { ProblemNotice } from "../../kit/problems.js";
import { describeNote, readNotes, tagNote } from "../../kit/notes.js";
import { formatDatum, formatNumber, hasWords, t } from "../../kit/words.js";
import { formatCell, TableRows } from "./table_rows.js";
import { callTables } from "./tables_api.js";

const BARS = 6;

/** @param {string} type */
const nameType = (type) => (hasWords(`data.type.${type}`) ? t(`data.type.${type}`) : type);

/** The most frequent values as bars. @param {{statistics: any}} props */
function Levels({ statistics }) {
  const { levels, level_counts: counts } = statistics;
  if (!levels?.length) return null;
  const pairs = levels.map((/** @type {any} */ level, /** @type {number} */ place) => [level, counts[place]]);
  const shown = pairs.sort((/** @type {any} */ a, /** @type {any} */ b) => b[1] - a[1]).slice(0, BARS);
  const most = shown[0][1];
  return html`<ul class="levels">${shown.map((/** @type {any[]} */ [level, count]) => html`<li><span class="level" dir="auto">${formatCell(level)}</span><meter min="0" max=${most} value=${count} aria-label=${`${level}: ${count}`}></meter><span class="quiet">${formatNumber(count)}</span></li>`)}</ul>
    ${levels.length > BARS && html`<p class="note">${t("data.more_values", { count: levels.length - BARS })}</p>`}`;
}

/** @param {{column: any}} props */
function Profile({ column }) {
  const { statistics } = column;
  const unique = statistics.unique_count_estimated ? "data.unique_about" : "data.unique";
  const isNumber = statistics.avg !== undefined && statistics.avg !== null;
  return html`<li class="profile">
    <h3><span dir="auto">${column.column}</span> <small>${nameType(column.type)}</small></h3>
    <p class="quiet small">${t(unique, { count: formatNumber(statistics.unique_count) })}${statistics.null_count > 0 && html` · ${t("data.missing", { count: formatNumber(statistics.null_count) })}`}</p>
    ${isNumber ? html`<p class="range">${formatCell(statistics.min)} – ${formatCell(statistics.max)} <span class="quiet">${t("data.average", { value: formatDatum(Math.round(statistics.avg * 100) / 100) })}</span></p>` : html`<${Levels} statistics=${statistics} />`}
  </li>`;
}

/** @param {{table: any, onRemove: () => void}} props */
export function TableView({ table, onRemove }) {
  const profile = useSignal(/** @type {any[] | null} */ (null));
  const notes = useSignal(/** @type {import("../../kit/notes.js").CodedNote[]} */ ([]));
  const problem = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    profile.value = null;
    notes.value = readNotes(table.source_metadata); // Also if the numbers do not come.
    problem.value = null;
    let isShown = true; // The answer on an earlier table may come later.
    callTables("/api/tables/analyze", { table_name: table.name }).then(
      (data) => {
        if (!isShown) return;
        profile.value = data.statistics;
        notes.value = readNotes(data);
      },
      (error) => isShown && (problem.value = error),
    );
    return () => {
      isShown = false;
    };
  }, [table]); // Also after another file of the same name.
  return html`<section class="card table-card" aria-labelledby="table-name">
    <div class="row spread"><h2 id="table-name" dir="auto">${table.name}</h2><div class="row"><span class="quiet small">${t("data.row_count", { rows: formatNumber(table.row_count) })} · ${t("data.column_count", { columns: formatNumber(table.columns.length) })}</span><${IconButton} name="close" label=${t("data.remove_table", { name: table.name })} onClick=${onRemove} /></div></div>
    <${TableRows} key=${table} table=${table} />
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${notes.value.length > 0 && html`<details class="read-notes" open><summary>${t("data.read_notes")}</summary><ul>${notes.value.map((note) => html`<li class="note" dir="auto" lang=${tagNote(note)}>${describeNote(note)}</li>`)}</ul></details>`}
    <details class="profiles" open><summary>${t("data.profile")}</summary>
      ${profile.value ? html`<ul class="profile-list">${profile.value.map((column) => html`<${Profile} key=${column.column} column=${column} />`)}</ul>` : !problem.value && html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`}
    </details>
  </section>`;
}
