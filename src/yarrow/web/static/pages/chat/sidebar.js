// Past conversations: search by title, open, delete with undo.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { formatRecent, t } from "../../kit/words.js";

const UNDO_MS = 6000;

/** @param {{current: string, stamp: number, onOpen: (id: string) => void}} props */
export function Sidebar({ current, stamp, onOpen }) {
  const sessions = useSignal(/** @type {any[] | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const words = useSignal("");
  const doomed = useSignal(/** @type {{id: string, timer: number} | null} */ (null));
  const load = () => {
    problem.value = null;
    request("/api/v1/sessions?agent=assistant&limit=100").then(
      (page) => (sessions.value = page.sessions),
      (error) => (problem.value = error),
    );
  };
  useEffect(load, [stamp]);
  /** @param {string} id */
  const remove = (id) => {
    const timer = window.setTimeout(async () => {
      doomed.value = null;
      await request(`/api/v1/agent/sessions/${id}`, { method: "DELETE" }).catch((error) => (problem.value = error));
      load();
      if (id === current) onOpen("");
    }, UNDO_MS);
    doomed.value = { id, timer };
  };
  const undo = () => {
    clearTimeout(doomed.value?.timer);
    doomed.value = null;
  };
  const wanted = words.value.trim().toLowerCase();
  const shown = (sessions.value ?? []).filter(
    (each) => each.id !== doomed.value?.id && each.title.toLowerCase().includes(wanted),
  );
  return html`<div class="sidebar-body">
    <input type="search" class="field" aria-label=${t("chat.search")} placeholder=${t("chat.search")} value=${words.value} onInput=${(/** @type {any} */ event) => (words.value = event.currentTarget.value)} />
    ${doomed.value && html`<div class="notice calm" role="status"><p>${t("chat.deleted")}</p><button type="button" class="button" onClick=${undo}>${t("chat.undo")}</button></div>`}
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} onRetry=${load} />`}
    ${sessions.value && !shown.length && html`<p class="quiet">${t(wanted ? "chat.nothing_found" : "chat.none_yet")}</p>`}
    <ul class="list">
      ${shown.map(
        (session) => html`<li key=${session.id} class="past">
          <a href=${`/chat/${session.id}`} aria-current=${session.id === current ? "page" : undefined}>
            <span class="session-title" dir="auto">${session.running && html`<span class="running-mark"></span>`}${session.title || t("history.untitled")}</span>
            <time class="session-time" datetime=${session.last_activity_at}>${formatRecent(session.last_activity_at)}</time>
          </a>
          <button type="button" class="icon" aria-label=${t("chat.delete", { title: session.title || t("history.untitled") })} title=${t("chat.delete_short")} onClick=${() => remove(session.id)}><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18" /></svg></button>
        </li>`,
      )}
    </ul>
  </div>`;
}
