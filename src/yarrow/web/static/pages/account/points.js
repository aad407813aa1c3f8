// Points: what is there, what is held and for which run, and every movement.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { runPoints } from "../../kit/page_data.js";
import { ProblemNotice } from "../../kit/problems.js";
import { addressSession, nameAgent } from "../../kit/recent_sessions.js";
import { saveFile } from "../../kit/save_file.js";
import { formatDate, formatNumber, hasWords, t } from "../../kit/words.js";

const KINDS = ["all", "consume", "register", "grant", "adjust"];

/** @param {{label: string, value: number, note?: string}} props */
const Figure = ({ label, value, note = "" }) =>
  html`<div><dt>${label}</dt><dd>${formatNumber(value)}</dd>${note && html`<dd class="note">${note}</dd>`}</div>`;

/** @param {{points: any, held: any[]}} props */
export function Balance({ points, held }) {
  return html`<section class="card" aria-labelledby="balance">
    <h2 id="balance">${t("points.title")}</h2>
    <dl class="figures">
      <${Figure} label=${t("points.available")} value=${points.available} />
      <${Figure} label=${t("points.held")} value=${points.frozen_balance} />
      <${Figure} label=${t("points.earned")} value=${points.lifetime_earned} />
      <${Figure} label=${t("points.spent")} value=${points.lifetime_spent} />
    </dl>
    ${held.length > 0 && html`<ul class="list">${held.map((run) => html`<li class="held">${t("points.held_for", { points: run.held_points, agent: nameAgent(run.agent) })} <time datetime=${run.created_at}>${formatDate(run.created_at)}</time></li>`)}</ul>`}
    ${points.available < runPoints && html`<div class="notice" role="note"><p><strong>${t("points.short")}</strong>${t("points.short_text", { price: runPoints })}</p></div>`}
  </section>`;
}

/** @param {any} entry */
const nameKind = (entry) =>
  hasWords(`points.kind.${entry.change_type}`) ? t(`points.kind.${entry.change_type}`) : entry.change_type;

/** Quote a cell; one that a spreadsheet would compute is made text. @param {unknown} value */
function quoteCell(value) {
  const text = String(value ?? "");
  const safe = /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** @param {any[]} entries */
function saveCsv(entries) {
  const header = [
    "created_at",
    "change_type",
    "direction",
    "amount",
    "balance_after",
    "run_id",
    "session_id",
    "event_id",
  ];
  const rows = entries.map((entry) => [
    entry.created_at,
    entry.change_type,
    entry.direction,
    entry.amount,
    entry.balance_after,
    entry.metadata?.run_id,
    entry.biz_id,
    entry.event_id,
  ]);
  const text = [header, ...rows].map((row) => row.map(quoteCell).join(",")).join("\r\n");
  saveFile(new Blob([`\ufeff${text}\r\n`], { type: "text/csv" }), "points.csv");
}

/** @param {{entry: any, sessions: Map<string, any>}} props */
function Entry({ entry, sessions }) {
  const session = sessions.get(entry.biz_id);
  const address = session ? addressSession(session) : "";
  const charge = entry.metadata?.charge;
  const about = session
    ? session.title || nameAgent(session.agent)
    : entry.change_type === "consume"
      ? (entry.metadata?.run_id ?? "")
      : "";
  return html`<tr>
    <td><time datetime=${entry.created_at}>${formatDate(entry.created_at)}</time></td>
    <td>${nameKind(entry)}</td>
    <td class="number">${entry.direction > 0 ? "+" : "−"}${formatNumber(entry.amount)}</td>
    <td class="number">${formatNumber(entry.balance_after)}</td>
    <td class="run" dir="auto">${address ? html`<a href=${address}>${about}</a>` : about}${charge && html`<small>${t("points.tokens", { input: formatNumber(charge.input_tokens), output: formatNumber(charge.output_tokens), model: charge.model_code || "–" })}</small>`}</td>
  </tr>`;
}

/** @param {{sessions: Map<string, any>}} props */
export function Ledger({ sessions }) {
  const entries = useSignal(/** @type {any[]} */ ([]));
  const next = useSignal("");
  const kind = useSignal("all");
  const loading = useSignal(true);
  const problem = useSignal(/** @type {any} */ (null));
  const load = async () => {
    loading.value = true;
    problem.value = null;
    try {
      const page = await request(`/api/v1/points/ledger?limit=50${next.value ? `&before=${next.value}` : ""}`);
      entries.value = [...entries.value, ...page.entries];
      next.value = page.next ?? "";
    } catch (error) {
      problem.value = error;
    }
    loading.value = false;
  };
  useEffect(() => void load(), []);
  const shown = entries.value.filter((entry) => kind.value === "all" || entry.change_type === kind.value);
  return html`<section>
    <div class="row spread"><h2 id="ledger">${t("points.ledger")}</h2>
      <div class="row">
        <label class="unseen" for="kind">${t("points.filter")}</label>
        <select id="kind" class="field small-field" value=${kind.value} onChange=${(/** @type {any} */ event) => (kind.value = event.currentTarget.value)}>
          ${KINDS.map((name) => html`<option value=${name}>${t(`points.kind.${name}`)}</option>`)}
        </select>
        <button type="button" class="button" disabled=${!shown.length} onClick=${() => saveCsv(shown)}>CSV</button>
      </div>
    </div>
    ${
      shown.length > 0
        ? html`<div class="wide-table" tabindex="0" role="region" aria-labelledby="ledger"><table class="ledger">
            <thead><tr><th scope="col">${t("points.when")}</th><th scope="col">${t("points.what")}</th><th scope="col" class="number">${t("points.amount")}</th><th scope="col" class="number">${t("points.after")}</th><th scope="col">${t("points.run")}</th></tr></thead>
            <tbody>${shown.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} sessions=${sessions} />`)}</tbody>
          </table></div>`
        : !loading.value && html`<p class="quiet">${t("points.none")}</p>`
    }
    ${loading.value && html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`}
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} onRetry=${load} />`}
    ${next.value && html`<button type="button" class="button" disabled=${loading.value} onClick=${load}>${t("points.more")}</button>`}
  </section>`;
}
