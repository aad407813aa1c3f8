// The newest sessions of all agents, the running ones marked.

import { html } from "../vendor/preact.js";
import { readToken } from "./api.js";
import { hasAccounts } from "./page_data.js";
import { ProblemNotice, SignInHint } from "./problems.js";
import { useSessions } from "./session_list.js";
import { formatRecent, hasWords, t } from "./words.js";

const ADDRESSES = /** @type {Record<string, string>} */ ({
  divination: "/liuyao",
  assistant: "/chat",
  analyst: "/data",
  storyteller: "/stories",
});

/** @param {any} session */
export function addressSession(session) {
  const page = ADDRESSES[session.agent];
  return page ? `${page}/${session.id}` : "";
}

export const AGENTS = [...Object.keys(ADDRESSES), "analyst-questions", "analyst-report", "analyst-loader"];

/** @param {string} agent */
export const nameAgent = (agent) => (hasWords(`agent.${agent}`) ? t(`agent.${agent}`) : agent);

/** @param {{session: any}} props */
function SessionRow({ session }) {
  const inside = html`<span class="session-kind">${session.running && html`<span class="running-mark"></span><span class="unseen">${t("home.running")} </span>`}${nameAgent(session.agent)}</span>
    <span class="session-title" dir="auto">${session.title || t("history.untitled")}</span>
    <time class="session-time" datetime=${session.last_activity_at}>${formatRecent(session.last_activity_at)}</time>`;
  return html`<a class="session-link" href=${addressSession(session)}>${inside}</a>`;
}

/** Loaded again when `stamp` changes. @param {{limit: number, stamp?: unknown}} props */
export function RecentSessions({ limit, stamp }) {
  const accepts = (/** @type {any} */ session) => addressSession(session) !== ""; // Suggestions have no page.
  const { sessions, problem, load } = useSessions({ limit, accepts }, stamp);
  if (hasAccounts && !readToken()) return html`<${SignInHint} />`;
  if (problem.value) return html`<${ProblemNotice} problem=${problem.value} onRetry=${load} />`;
  if (!sessions.value)
    return html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`;
  if (!sessions.value.length)
    return html`<p class="quiet">${t("home.no_sessions")} <a href="/liuyao">${t("home.first_session")}</a></p>`;
  return html`<ul class="list">${sessions.value.slice(0, limit).map((session) => html`<li key=${session.id}><${SessionRow} session=${session} /></li>`)}</ul>`;
}
