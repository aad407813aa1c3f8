// Questions that were asked before: each one opens its charts again, or is deleted with time to undo.

import { html } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { useDeletion } from "../../kit/deletion.js";
import { IconButton } from "../../kit/icons.js";
import { ListProblem } from "../../kit/problems.js";
import { useSessions } from "../../kit/session_list.js";
import { formatRecent, t } from "../../kit/words.js";

const ASKED = 20;

/** @param {{session: any, isCurrent: boolean, onRemove: () => void}} props */
function Asked({ session, isCurrent, onRemove }) {
  const title = session.title || t("history.untitled");
  return html`<li class="past"><a class="table-link" href=${`/data/${session.id}`} aria-current=${isCurrent ? "true" : undefined}><span dir="auto" class="session-title">${title}</span><time class="session-time" datetime=${session.last_activity_at}>${formatRecent(session.last_activity_at)}</time></a><${IconButton} name="close" label=${t("chat.delete", { title })} onClick=${onRemove} /></li>`;
}

/** @param {{stamp: number, current: string, onDeleted: (id: string) => void}} props */
export function Trail({ stamp, current, onDeleted }) {
  const { sessions, problem, load, more } = useSessions({ agent: "analyst", limit: ASKED }, stamp);
  const { isDoomed, remove, notice } = useDeletion({
    erase: (id, options) => request(`/api/v1/agent/sessions/${id}`, { method: "DELETE", ...options }),
    onDeleted: (id) => {
      sessions.value = (sessions.value ?? []).filter((each) => each.id !== id);
      onDeleted(id);
    },
    onProblem: (error) => (problem.value = error),
  });
  const shown = (sessions.value ?? []).filter(({ id }) => !isDoomed(id));
  return html`${notice}<${ListProblem} problem=${problem.value} onRetry=${load} />
    ${sessions.value && !shown.length && !notice && !problem.value && html`<p class="quiet small">${t("data.no_trail")}</p>`}
    <ul class="list">${shown.map((session) => html`<${Asked} key=${session.id} session=${session} isCurrent=${session.id === current} onRemove=${() => remove(session.id)} />`)}</ul>
    ${more}`;
}
