// Runs of all accounts: in groups, or found by what is known of them.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { AGENTS, nameAgent } from "../../kit/recent_sessions.js";
import { formatDate, formatNumber, formatRecent, t } from "../../kit/words.js";
import { OPERATIONS, usePolled } from "./polling.js";
import { formatAge } from "./run_view.js";

export const GROUPS = ["active", "failed", "recent"];
const STATUSES = ["queued", "running", "succeeded", "failed", "cancelled"];
const COLUMNS = ["run", "agent", "status", "accepted", "age", "attempt", "worker"];
const TYPING_MS = 300;
const TEXT_CHARACTERS = 320;

/** @param {any} overview @returns {number} */
export const countLastHour = (overview) =>
  overview.last_hour.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.runs, 0);

/** @param {{runs: any[]}} props */
function RunTable({ runs }) {
  return html`<div class="wide-table" tabindex="0" role="region" aria-label=${t("ops.runs_title")}><table><thead><tr>${COLUMNS.map((name) => html`<th scope="col">${t(`ops.${name}`)}</th>`)}</tr></thead>
    <tbody>${runs.map((run) => html`<tr key=${run.id}><th scope="row"><a href=${`/ops/${run.id}`}><code>${run.id.slice(-12)}</code></a></th><td>${nameAgent(run.agent)}</td><td><span class=${`badge ${run.status === "failed" ? "error" : run.status === "succeeded" ? "success" : ""}`}>${t(`ops.status_${run.status}`)}</span>${run.failure && html` <small class="quiet">${run.failure}</small>`}</td><td><time datetime=${run.created_at} title=${formatDate(run.created_at)}>${formatRecent(run.created_at)}</time></td><td>${formatAge(run)}</td><td>${run.attempt}</td><td><code>${run.worker_id?.slice(-12) ?? "–"}</code></td></tr>`)}</tbody></table></div>`;
}

const Shapes = () => html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`;

/** @param {{group: string}} props */
function GroupedRuns({ group }) {
  const { found, problem } = usePolled(`${OPERATIONS}/runs?group=${group}`, [group]);
  return html`${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${found.value ? (found.value.runs.length ? html`<${RunTable} runs=${found.value.runs} />` : html`<p class="quiet">${t(`ops.none_${group}`)}</p>`) : !problem.value && html`<${Shapes} />`}`;
}

/** The server's word for an agent or status that was written as the page names it. @param {string} text */
function readTerm(text) {
  const wanted = text.trim().toLowerCase();
  const agent = AGENTS.find((name) => nameAgent(name).toLowerCase() === wanted);
  const status = STATUSES.find((name) => t(`ops.status_${name}`).toLowerCase() === wanted);
  return agent ?? status ?? text.trim();
}

/** @param {{text: string}} props */
function FoundRuns({ text }) {
  const found = useSignal(/** @type {{runs: any[], next?: string} | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const load = async (after = "", /** @type {AbortSignal | undefined} */ signal = undefined) => {
    const query = new URLSearchParams({ text: readTerm(text), ...(after && { after }) });
    try {
      const page = await request(`${OPERATIONS}/runs/search?${query}`, { signal });
      if (after && found.value?.next !== after) return; // Pressed twice, or another search meanwhile.
      found.value = { ...page, runs: [...(after ? (found.value?.runs ?? []) : []), ...page.runs] };
      problem.value = null;
    } catch (error) {
      if (!signal?.aborted) problem.value = error;
    }
  };
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => load("", abort.signal), TYPING_MS);
    return () => (clearTimeout(timer), abort.abort());
  }, [text]);
  const { runs = [], next } = found.value ?? {};
  return html`${problem.value && html`<${ProblemNotice} problem=${problem.value} onRetry=${() => load()} />`}
    <p class="small quiet" role="status">${found.value && (runs.length ? t("ops.found", { count: formatNumber(runs.length) }) : t(next ? "ops.found_none_yet" : "ops.found_none"))}</p>
    ${runs.length > 0 && html`<${RunTable} runs=${runs} />`}
    ${next && html`<button type="button" class="button plain" onClick=${() => load(next)}>${t("ops.find_more")}</button>`}
    ${!found.value && !problem.value && html`<${Shapes} />`}`;
}

/** The number of runs behind the link of a group, where it is known. @param {any} overview @param {string} group */
function countGroup(overview, group) {
  if (!overview || group === "failed") return null;
  const count = group === "active" ? overview.running + overview.queued : countLastHour(overview);
  return html`<span class="quiet">${formatNumber(count)}</span>`;
}

/** @param {{group: string, find: string, overview: any, onFind: (text: string) => void}} props */
export function Runs({ group, find, overview, onFind }) {
  return html`<section class="card runs"><div class="row spread"><h2>${t("ops.runs_title")}</h2><nav class="row" aria-label=${t("ops.runs_title")}>${GROUPS.map((name) => html`<a class="chip" href=${`/ops?group=${name}`} aria-current=${name === group && !find ? "page" : undefined}>${t(`ops.group_${name}`)}${countGroup(overview, name)}</a>`)}</nav></div>
    <input type="search" class="field" maxlength=${TEXT_CHARACTERS} aria-label=${t("ops.find_run")} placeholder=${t("ops.find_run_hint")} value=${find} onInput=${(/** @type {any} */ event) => onFind(event.currentTarget.value)} />
    ${find.trim() ? html`<${FoundRuns} text=${find} />` : html`<${GroupedRuns} group=${group} />`}
  </section>`;
}
