// What a turn used: points, tokens, time and cost of the run that answered it.

import { html } from "../vendor/preact.js";
import { request } from "./api.js";
import { formatNumber, t } from "./words.js";

/** The newest runs of a session; none where they cannot be read. @param {string} sessionId @returns {Promise<any[]>} */
export const loadRuns = (sessionId) =>
  request(`/api/v1/runs?session=${sessionId}&limit=100`).then(
    (page) => page.runs,
    () => [],
  );

/** Runs by the id of their answer. @param {any[]} runs @returns {Map<string, any>} */
export const indexByAnswer = (runs) =>
  new Map(runs.filter((run) => run.message_id).map((run) => [run.message_id, run]));

/** @param {{run: any}} props */
export function Usage({ run }) {
  if (!run) return null;
  const tokens = run.input_tokens + run.output_tokens;
  const seconds = run.started_at && run.ended_at ? (Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1000 : 0;
  const facts = [t("chat.seconds", { seconds: formatNumber(Math.max(Math.round(seconds * 10) / 10, 0.1)) })];
  if (tokens) facts.unshift(t("chat.tokens", { tokens: formatNumber(tokens) }));
  if (run.points) facts.unshift(t("chat.points", { points: formatNumber(run.points) }));
  if (Number(run.cost)) facts.push(run.cost);
  return html`<p class="usage">${facts.join(" · ")}</p>`;
}
