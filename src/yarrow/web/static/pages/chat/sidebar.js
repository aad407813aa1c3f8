// Past conversations: search by title and text, open, rename, delete with undo.

import { html, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { useDeletion } from "../../kit/deletion.js";
import { IconButton } from "../../kit/icons.js";
import { isCloseKey } from "../../kit/keys.js";
import { limits } from "../../kit/page_data.js";
import { ListProblem } from "../../kit/problems.js";
import { FoundSessions, QUERY_CHARACTERS } from "../../kit/session_search.js";
import { useSessions } from "../../kit/session_list.js";
import { formatRecent, t } from "../../kit/words.js";

/** @param {any} session */
const nameOf = (session) => session.title || t("history.untitled");

/** @param {{session: any, onDone: (title: string) => void, onProblem: (error: any) => void}} props */
function TitleForm({ session, onDone, onProblem }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => field.current?.select(), []);
  /** @param {Event} event */
  const save = (event) => {
    event.preventDefault();
    const title = field.current?.value.trim() ?? "";
    if (!title || title === session.title) return onDone(session.title);
    request(`/api/v1/sessions/${session.id}`, { method: "PATCH", body: { title } }).then(
      (answer) => onDone(answer.title),
      onProblem,
    );
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (isCloseKey(event)) onDone(session.title);
  };
  return html`<form class="rename" onSubmit=${save}>
    <input ref=${field} class="field" dir="auto" maxlength=${limits.title_characters} aria-label=${t("chat.new_title")} value=${session.title} onKeyDown=${press} />
    <button class="button">${t("chat.save")}</button>
  </form>`;
}

/** @param {{session: any, isCurrent: boolean, onRename: () => void, onRemove: () => void}} props */
function PastSession({ session, isCurrent, onRename, onRemove }) {
  const title = nameOf(session);
  return html`<a href=${`/chat/${session.id}`} aria-current=${isCurrent ? "page" : undefined}>
      <span class="session-title" dir="auto">${session.running && html`<span class="running-mark"></span>`}${title}</span>
      <time class="session-time" datetime=${session.last_activity_at}>${formatRecent(session.last_activity_at)}</time>
    </a>
    <${IconButton} name="edit" label=${t("chat.rename", { title })} onClick=${onRename} />
    <${IconButton} name="close" label=${t("chat.delete", { title })} onClick=${onRemove} />`;
}

/** @param {{current: string, stamp: number, onOpen: (id: string) => void}} props */
export function Sidebar({ current, stamp, onOpen }) {
  const { sessions, problem, load, more } = useSessions({ agent: "assistant", limit: 30 }, stamp);
  const words = useSignal("");
  const renamed = useSignal("");
  const fail = (/** @type {any} */ error) => (problem.value = error);
  const { isDoomed, remove, notice } = useDeletion({
    erase: (id, options) => request(`/api/v1/agent/sessions/${id}`, { method: "DELETE", ...options }),
    onDeleted: (id) => {
      sessions.value = (sessions.value ?? []).filter((each) => each.id !== id);
      if (id === location.pathname.split("/")[2]) onOpen("");
    },
    onProblem: fail,
  });
  /** @param {string} id @param {string} title */
  const rename = (id, title) => {
    renamed.value = "";
    sessions.value = (sessions.value ?? []).map((each) => (each.id === id ? { ...each, title } : each));
  };
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const lastRenamed = useRef("");
  useEffect(() => {
    const link = lastRenamed.current && !renamed.value && `[href="/chat/${lastRenamed.current}"]`;
    if (link) /** @type {HTMLElement | null} */ (list.current?.querySelector(link))?.focus();
    lastRenamed.current = renamed.value;
  }, [renamed.value]);
  const wanted = words.value.trim().toLowerCase();
  const shown = (sessions.value ?? []).filter(({ id, title }) => title.toLowerCase().includes(wanted) && !isDoomed(id));
  return html`<div class="sidebar-body">
    <input type="search" class="field" dir="auto" maxlength=${QUERY_CHARACTERS} aria-label=${t("chat.search")} placeholder=${t("chat.search")} value=${words.value} onInput=${(/** @type {any} */ event) => (words.value = event.currentTarget.value)} />
    ${notice}
    <${ListProblem} problem=${problem.value} onRetry=${load} />
    ${sessions.value && !shown.length && html`<p class="quiet">${t(wanted ? "chat.nothing_found" : "chat.none_yet")}</p>`}
    <ul class="list" ref=${list}>
      ${shown.map(
        (session) =>
          html`<li key=${session.id} class="past">
            ${
              renamed.value === session.id
                ? html`<${TitleForm} session=${session} onDone=${(/** @type {string} */ title) => rename(session.id, title)} onProblem=${fail} />`
                : html`<${PastSession} session=${session} isCurrent=${session.id === current} onRename=${() => (renamed.value = session.id)} onRemove=${() => remove(session.id)} />`
            }
          </li>`,
      )}
    </ul>
    ${wanted ? html`<${FoundSessions} query=${wanted} />` : more}
  </div>`;
}
