// Operations: runs of all accounts, workers, the last hour, accounts and points.

import { html, signal } from "../../vendor/preact.js";
import { interceptLinks, mountPage } from "../../kit/client_page.js";
import { isUuid } from "../../kit/ids.js";
import { ConnectionNotice, ProblemNotice } from "../../kit/problems.js";
import { nameAgent } from "../../kit/recent_sessions.js";
import { formatNumber, formatRecent, t } from "../../kit/words.js";
import { AccountPanel } from "./account_panel.js";
import { CheckList, Doctor } from "./doctor.js";
import { OPERATIONS, usePolled } from "./polling.js";
import { countLastHour, GROUPS, Runs } from "./runs.js";
import { formatSeconds, RunView } from "./run_view.js";

const address = signal(readAddress());

function readAddress() {
  const [, , id] = location.pathname.split("/");
  const query = new URLSearchParams(location.search);
  const group = query.get("group") ?? "active";
  return { id: id ?? "", find: query.get("find") ?? "", group: GROUPS.includes(group) ? group : "active" };
}

/** With dashes until the overview is there. @param {{overview: any}} props */
function Figures({ overview }) {
  const figures = /** @type {[string, (overview: any) => number][]} */ ([
    ["running", ({ running }) => running],
    ["queued", ({ queued }) => queued],
    ["workers", ({ workers }) => workers.filter((/** @type {any} */ worker) => worker.alive).length],
    ["hour", countLastHour],
  ]);
  return html`<dl class="figures">${figures.map(([name, count]) => html`<div><dt>${t(`ops.${name}`)}</dt><dd>${overview ? formatNumber(count(overview)) : "–"}</dd></div>`)}</dl>`;
}

/** @param {{overview: any}} props */
function LastHour({ overview }) {
  const seconds = (/** @type {number | null} */ value) => (value === null ? "–" : formatSeconds(value));
  return html`<section class="card"><h2>${t("ops.last_hour")}</h2>
    ${
      overview.last_hour.length
        ? html`<div class="wide-table" tabindex="0"><table class="hour"><thead><tr>${["agent", "runs", "failed", "median", "p95", "tokens_in", "tokens_out"].map((name) => html`<th scope="col">${t(`ops.${name}`)}</th>`)}</tr></thead>
      <tbody>${overview.last_hour.map((/** @type {any} */ each) => html`<tr><th scope="row">${nameAgent(each.agent)}</th><td>${formatNumber(each.runs)}</td><td class=${each.failed ? "bad" : ""}>${formatNumber(each.failed)}</td><td>${seconds(each.median_s)}</td><td>${seconds(each.p95_s)}</td><td>${formatNumber(each.input_tokens)}</td><td>${formatNumber(each.output_tokens)}</td></tr>`)}</tbody></table></div>`
        : html`<p class="quiet">${t("ops.quiet_hour")}</p>`
    }
    ${overview.sampled && html`<p class="note">${t("ops.sampled")}</p>`}</section>`;
}

/** @param {{overview: any}} props */
const Findings = ({ overview }) =>
  html`<section class="card"><h2>${t("ops.findings")}</h2><${CheckList} checks=${overview.findings} />
    <h3>${t("ops.workers")}</h3><ul class="list findings">${overview.workers.map((/** @type {any} */ worker) => html`<li><span class=${`badge ${worker.alive ? "success" : ""}`}>${t(worker.alive ? "ops.alive" : "ops.silent")}</span> <code>${worker.id.slice(-12)}</code> <span class="quiet">${t("ops.worker_runs", { count: formatNumber(worker.runs) })} · ${t("ops.since", { time: formatRecent(worker.started_at) })}</span></li>`)}</ul></section>`;

/** Search for runs at an address of its own. @param {string} text */
function find(text) {
  history.replaceState(null, "", text ? `/ops?find=${encodeURIComponent(text)}` : "/ops");
  address.value = readAddress();
}

function Overview() {
  const { found, problem, attempts } = usePolled(`${OPERATIONS}/overview`, []);
  if (problem.value?.status === 403 || problem.value?.status === 401)
    return html`<h1>${t("nav.ops")}</h1><${ProblemNotice} problem=${problem.value.status === 403 ? { code: "OPS_FORBIDDEN", message: "" } : problem.value} />`;
  return html`<h1>${t("nav.ops")}</h1><p class="lead">${t("ops.lead")}</p>
    <${ConnectionNotice} attempts=${attempts.value} />
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    <${Figures} overview=${found.value} />
    <${Runs} group=${address.value.group} find=${address.value.find} overview=${found.value} onFind=${find} />
    ${found.value && html`<div class="ops-grid"><${LastHour} overview=${found.value} /><${Findings} overview=${found.value} /></div>`}
    ${(found.value || problem.value) && html`<${Doctor} /><${AccountPanel} />`}`;
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
