// Operations: runs of all accounts, workers, the last hour, accounts and points.

import { html, signal, useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { interceptLinks, mountPage } from "../../kit/client_page.js";
import { isUuid } from "../../kit/ids.js";
import { ConnectionNotice, ProblemNotice } from "../../kit/problems.js";
import { nameAgent } from "../../kit/recent_sessions.js";
import { formatDate, formatNumber, formatRecent, t } from "../../kit/words.js";
import { AccountPanel } from "./account_panel.js";
import { CheckList, Doctor } from "./doctor.js";
import { formatAge, formatSeconds, RunView } from "./run_view.js";

const OPERATIONS = "/api/v1/operations";
const REFRESH_MS = 3000;
const GROUPS = ["active", "failed", "recent"];

const address = signal(readAddress());

function readAddress() {
  const [, , id] = location.pathname.split("/");
  const group = new URLSearchParams(location.search).get("group") ?? "active";
  return { id: id ?? "", group: GROUPS.includes(group) ? group : "active" };
}

/** Ask again every few seconds while the page is seen. @param {string} path @param {any[]} inputs */
function usePolled(path, inputs) {
  const found = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const attempts = useSignal(0); // Since the server was reached last.
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    const fail = (/** @type {any} */ error) => {
      if (abort.signal.aborted) return;
      attempts.value = error.code === "NETWORK" ? attempts.value + 1 : 0;
      problem.value = error.code === "NETWORK" ? null : error;
    };
    const load = async () => {
      if (!document.hidden)
        await request(path, { signal: abort.signal }).then(
          (data) => ((found.value = data), (problem.value = null), (attempts.value = 0)),
          fail,
        );
      if (!abort.signal.aborted) timer = window.setTimeout(load, REFRESH_MS);
    };
    found.value = null;
    void load();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, inputs);
  return { found, problem, attempts };
}

/** @param {any} overview @returns {number} */
const countLastHour = (overview) =>
  overview.last_hour.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.runs, 0);

/** @param {{overview: any}} props */
function Figures({ overview }) {
  const alive = overview.workers.filter((/** @type {any} */ worker) => worker.alive);
  const figures = [
    ["running", overview.running],
    ["queued", overview.queued],
    ["workers", alive.length],
    ["hour", countLastHour(overview)],
  ];
  return html`<dl class="figures">${figures.map(([name, value]) => html`<div><dt>${t(`ops.${name}`)}</dt><dd>${formatNumber(value)}</dd></div>`)}</dl>`;
}

/** @param {{overview: any}} props */
function LastHour({ overview }) {
  const seconds = (/** @type {number | null} */ value) => (value === null ? "–" : formatSeconds(value));
  return html`<section class="card"><h2>${t("ops.last_hour")}</h2>
    ${
      overview.last_hour.length
        ? html`<div class="wide-table" tabindex="0"><table><thead><tr>${["agent", "runs", "failed", "median", "p95", "tokens_in", "tokens_out"].map((name) => html`<th scope="col">${t(`ops.${name}`)}</th>`)}</tr></thead>
      <tbody>${overview.last_hour.map((/** @type {any} */ each) => html`<tr><th scope="row">${nameAgent(each.agent)}</th><td>${formatNumber(each.runs)}</td><td class=${each.failed ? "bad" : ""}>${formatNumber(each.failed)}</td><td>${seconds(each.median_s)}</td><td>${seconds(each.p95_s)}</td><td>${formatNumber(each.input_tokens)}</td><td>${formatNumber(each.output_tokens)}</td></tr>`)}</tbody></table></div>`
        : html`<p class="quiet">${t("ops.quiet_hour")}</p>`
    }
    ${overview.sampled && html`<p class="note">${t("ops.sampled")}</p>`}</section>`;
}

/** @param {{overview: any}} props */
const Findings = ({ overview }) =>
  html`<section class="card"><h2>${t("ops.findings")}</h2><${CheckList} checks=${overview.findings} />
    <h3>${t("ops.workers")}</h3><ul class="list findings">${overview.workers.map((/** @type {any} */ worker) => html`<li><span class=${`badge ${worker.alive ? "success" : ""}`}>${t(worker.alive ? "ops.alive" : "ops.silent")}</span> <code>${worker.id.slice(-12)}</code> <span class="quiet">${t("ops.worker_runs", { count: formatNumber(worker.runs) })} · ${t("ops.since", { time: formatRecent(worker.started_at) })}</span></li>`)}</ul></section>`;

/** @param {{runs: any[]}} props */
function RunTable({ runs }) {
  return html`<div class="wide-table" tabindex="0"><table><thead><tr>${["run", "agent", "status", "age", "attempt", "worker"].map((name) => html`<th scope="col">${t(`ops.${name}`)}</th>`)}</tr></thead>
    <tbody>${runs.map((run) => html`<tr key=${run.id}><th scope="row"><a href=${`/ops/${run.id}`}><code>${run.id.slice(-12)}</code></a></th><td>${nameAgent(run.agent)}</td><td><span class=${`badge ${run.status === "failed" ? "error" : run.status === "succeeded" ? "success" : ""}`}>${t(`ops.status_${run.status}`)}</span>${run.failure && html` <small class="quiet">${run.failure}</small>`}</td><td title=${formatDate(run.created_at)}>${formatAge(run)}</td><td>${run.attempt}</td><td><code>${run.worker_id?.slice(-12) ?? "–"}</code></td></tr>`)}</tbody></table></div>`;
}

/** The number of runs behind the link of a group, where it is known. @param {any} overview @param {string} group */
function countGroup(overview, group) {
  if (!overview || group === "failed") return null;
  const count = group === "active" ? overview.running + overview.queued : countLastHour(overview);
  return html`<span class="quiet">${formatNumber(count)}</span>`;
}

/** @param {{group: string, overview: any}} props */
function Runs({ group, overview }) {
  const { found, problem } = usePolled(`${OPERATIONS}/runs?group=${group}`, [group]);
  return html`<section class="card"><div class="row spread"><h2>${t("ops.runs_title")}</h2><nav class="row" aria-label=${t("ops.runs_title")}>${GROUPS.map((name) => html`<a class="chip" href=${`/ops?group=${name}`} aria-current=${name === group ? "page" : undefined}>${t(`ops.group_${name}`)}${countGroup(overview, name)}</a>`)}</nav></div>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${found.value ? (found.value.runs.length ? html`<${RunTable} runs=${found.value.runs} />` : html`<p class="quiet">${t(`ops.none_${group}`)}</p>`) : !problem.value && html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`}
  </section>`;
}

function Overview() {
  const { found, problem, attempts } = usePolled(`${OPERATIONS}/overview`, []);
  if (problem.value?.status === 403 || problem.value?.status === 401)
    return html`<h1>${t("nav.ops")}</h1><${ProblemNotice} problem=${problem.value.status === 403 ? { code: "OPS_FORBIDDEN", message: "" } : problem.value} />`;
  return html`<h1>${t("nav.ops")}</h1><p class="lead">${t("ops.lead")}</p>
    <${ConnectionNotice} attempts=${attempts.value} />
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${found.value ? html`<${Figures} overview=${found.value} />` : html`<div class="figures" aria-hidden="true"><span class="shape"></span></div>`}
    <${Runs} group=${address.value.group} overview=${found.value} />
    ${found.value && html`<div class="ops-grid"><${LastHour} overview=${found.value} /><${Findings} overview=${found.value} /></div>`}
    <${Doctor} /><${AccountPanel} />`;
}

const follow = interceptLinks("/ops", (target) => {
  history.pushState(null, "", target);
  address.value = readAddress();
});

function App() {
  const { id } = address.value;
  return html`<div class="ops-page" onClick=${follow}>${id ? (isUuid(id) ? html`<${RunView} key=${id} id=${id} />` : html`<h1>${t("nav.ops")}</h1><${ProblemNotice} problem=${{ code: "OPS_NO_RUN", message: "" }} />`) : html`<${Overview} />`}</div>`;
}

addEventListener("popstate", () => (address.value = readAddress()));
mountPage(App);
