// One run: what became of it, its events in time, and a way to cancel it.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { addressSession, nameAgent } from "../../kit/recent_sessions.js";
import { formatDate, formatNumber, t } from "../../kit/words.js";
import { EventTimeline } from "./event_timeline.js";

/** Two digits behind the point for what takes less than a second. @param {number} seconds */
export const formatSeconds = (seconds) =>
  t("ops.seconds", { count: formatNumber(Number(seconds.toFixed(seconds < 1 ? 2 : 1))) });

/** How long a run took, or has been going on. @param {any} run */
export function formatAge(run) {
  const seconds = (Date.parse(run.ended_at ?? new Date().toISOString()) - Date.parse(run.created_at)) / 1000;
  if (seconds < 120) return formatSeconds(Math.max(0, seconds));
  return t("ops.minutes", { count: formatNumber(Math.round(seconds / 60)) });
}

/** @param {{id: string}} props */
export function RunView({ id }) {
  const found = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const note = useSignal("");
  const load = () =>
    request(`/api/v1/operations/runs/${id}`).then(
      (data) => ((found.value = data), (problem.value = null)),
      (error) => (problem.value = error),
    );
  useEffect(() => void load(), [id]);
  const cancel = async () => {
    try {
      const { accepted } = await request(`/api/v1/operations/runs/${id}/cancel`, { method: "POST" });
      note.value = t(accepted ? "ops.cancel_accepted" : "ops.cancel_late");
    } catch (error) {
      problem.value = error;
    }
    await load();
  };
  const back = html`<p><a href="/ops">${t("nav.ops")}</a></p>`;
  if (problem.value && !found.value)
    return html`${back}<h1>${t("ops.run")}</h1><${ProblemNotice} problem=${problem.value.status === 404 ? { code: "OPS_NO_RUN", message: "" } : problem.value} />`;
  if (!found.value)
    return html`${back}<h1>${t("ops.run")}</h1><div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`;
  const { run, events } = found.value;
  const session = run.own ? addressSession({ agent: run.agent, id: run.session_id }) : "";
  const isActive = run.status === "queued" || run.status === "running";
  const facts = [
    [t("ops.agent"), nameAgent(run.agent)],
    [t("ops.status"), t(`ops.status_${run.status}`) + (run.failure ? ` · ${run.failure}` : "")],
    [t("ops.accepted"), formatDate(run.created_at)],
    [t("ops.age"), formatAge(run)],
    [t("ops.attempt"), String(run.attempt)],
    [t("ops.worker"), run.worker_id ?? "–"],
    [t("ops.account"), run.account_id],
    ...(run.session_deleted ? [[t("ops.session"), t("ops.session_deleted")]] : []),
  ];
  return html`${back}<h1>${t("ops.run")} <code>${run.id.slice(-12)}</code></h1>
    <dl class="card-pairs card">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    <div class="row"><button type="button" class="button" onClick=${load}>${t("ops.refresh")}</button>${isActive && html`<button type="button" class="button primary" disabled=${run.cancel_requested} onClick=${cancel}>${t("ops.cancel")}</button>`}${session && html`<a class="button" href=${session}>${t("ops.open_session")}</a>`}<span role="status" class="quiet">${note.value}</span></div>
    <section class="card"><h2>${t("ops.events")}</h2>${events.length ? html`<${EventTimeline} run=${run} events=${events} />` : html`<p class="quiet">${t("ops.no_events")}</p>`}<p class="note">${t("ops.events_note")}</p></section>`;
}
