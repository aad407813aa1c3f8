// Earlier divinations, to open or to compare with the one that is open.

import { html } from "../../vendor/preact.js";
import { ListProblem } from "../../kit/problems.js";
import { useSessions } from "../../kit/session_list.js";
import { formatRecent, t } from "../../kit/words.js";

/** @param {{current?: string, onCompare?: (id: string) => void, stamp: number}} props */
export function DivinationHistory({ current, onCompare, stamp }) {
  const { sessions, problem, load, more } = useSessions({ agent: "divination", limit: 30 }, stamp);
  if (problem.value) return html`<${ListProblem} problem=${problem.value} onRetry=${load} />`;
  if (!sessions.value)
    return html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`;
  if (!sessions.value.length) return html`<p class="quiet">${t("history.empty")}</p>`;
  return html`<ul class="list">
    ${sessions.value.map(
      (session) => html`<li key=${session.id} class="history-row">
        <a class="session-link" href=${`/liuyao/${session.id}`} aria-current=${session.id === current ? "page" : undefined}>
          <span class="session-title" dir="auto">${session.running && html`<span class="running-mark"></span><span class="unseen">${t("home.running")} </span>`}${session.title || t("history.untitled")}</span>
          <time class="session-time" datetime=${session.last_activity_at}>${formatRecent(session.last_activity_at)}</time>
        </a>
        ${onCompare && session.id !== current && html`<button type="button" class="button plain" onClick=${() => onCompare(session.id)}>${t("history.compare")}</button>`}
      </li>`,
    )}
  </ul>${more}`;
}
