// Lists of sessions, a page after the other.

import { html, useEffect, useSignal } from "../vendor/preact.js";
import { request } from "./api.js";
import { t } from "./words.js";

const EACH = 100; // Sessions that a call returns at most.
const CALLS = 5; // A call can return none of the wanted sessions while there are more.

/**
 * @typedef {object} SessionFilter
 * @property {string} [agent] whose sessions are wanted, else those of all
 * @property {number} limit how many are wanted at least, if there are so many
 * @property {(session: any) => boolean} [accepts] whether a session is listed
 */

/** @param {SessionFilter} filter @param {string} after the session that was listed last, or empty */
async function loadSessions({ agent = "", limit, accepts = () => true }, after) {
  const sessions = [];
  let next = after;
  for (let call = 0; call < CALLS; call += 1) {
    const query = new URLSearchParams({ limit: String(EACH), ...(agent && { agent }), ...(next && { after: next }) });
    const page = await request(`/api/v1/sessions?${query}`);
    sessions.push(...page.sessions.filter(accepts));
    next = page.next ?? "";
    if (sessions.length >= limit || !next) break;
  }
  return { sessions, next };
}

/**
 * The sessions of a list; loaded again when `stamp` changes. What is listed stays if that fails.
 * @param {SessionFilter} filter @param {unknown} stamp
 */
export function useSessions(filter, stamp) {
  const sessions = useSignal(/** @type {any[] | null} */ (null));
  const next = useSignal("");
  const problem = useSignal(/** @type {any} */ (null));
  const load = async (after = "") => {
    problem.value = null;
    const before = sessions.value;
    try {
      const page = await loadSessions(filter, after);
      if (after && sessions.value !== before) return; // They were listed meanwhile, or all anew.
      sessions.value = after ? [...(sessions.value ?? []), ...page.sessions] : page.sessions;
      next.value = page.next;
    } catch (error) {
      problem.value = error;
    }
  };
  useEffect(() => void load(), [stamp]);
  const more =
    next.value &&
    html`<button type="button" class="button plain" onClick=${() => load(next.value)}>${t("history.more")}</button>`;
  return { sessions, problem, load: () => load(), more };
}
