// Questions that were asked before; each one opens its charts again.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { formatRecent, t } from "../../kit/words.js";

/** @param {{stamp: number, current: string}} props */
export function Trail({ stamp, current }) {
  const sessions = useSignal(/** @type {any[] | null} */ (null));
  useEffect(() => {
    request("/api/v1/sessions?agent=analyst&limit=20").then(
      (page) => (sessions.value = page.sessions),
      () => (sessions.value ??= []), // What is listed stays.
    );
  }, [stamp]);
  if (!sessions.value) return null;
  if (!sessions.value.length) return html`<p class="quiet small">${t("data.no_trail")}</p>`;
  return html`<ul class="list">${sessions.value.map((session) => html`<li key=${session.id}><a class="table-link" href=${`/data/${session.id}`} aria-current=${session.id === current ? "true" : undefined}><span dir="auto" class="session-title">${session.title || t("history.untitled")}</span><time class="session-time" datetime=${session.last_activity_at}>${formatRecent(session.last_activity_at)}</time></a></li>`)}</ul>`;
}
