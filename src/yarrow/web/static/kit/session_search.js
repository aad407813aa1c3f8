// Sessions of all agents that have some words in their messages.

import { html, useEffect, useSignal } from "../vendor/preact.js";
import { request } from "./api.js";
import { ListProblem } from "./problems.js";
import { addressSession, nameAgent } from "./recent_sessions.js";
import { formatRecent, guessLanguage, t } from "./words.js";

export const QUERY_CHARACTERS = 200;
const WORDS = 8;
const TYPING_MS = 300;

/** @param {string} query */
const readWords = (query) => query.split(/\s+/).filter(Boolean).slice(0, WORDS);

/** @param {string} query @param {string} before @param {AbortSignal} [signal] */
const search = (query, before, signal) =>
  request(
    `/api/v1/sessions/search?${new URLSearchParams({ query: readWords(query).join(" "), ...(before && { before }) })}`,
    { signal },
  );

/** The words in the text are marked. @param {{text: string, query: string}} props */
function Marked({ text, query }) {
  const escaped = readWords(query).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = text.split(new RegExp(`(${escaped.join("|")})`, "giu"));
  return parts.map((part, place) => (place % 2 ? html`<mark>${part}</mark>` : part));
}

/** @param {{session: any, query: string}} props */
function FoundSession({ session, query }) {
  return html`<a class="found" href=${addressSession(session)}>
    <span class="session-kind">${nameAgent(session.agent)} · <time datetime=${session.created_at}>${formatRecent(session.created_at)}</time></span>
    <span class="found-title" dir="auto">${session.title || t("history.untitled")}</span>
    <span class="snippet" dir="auto" lang=${guessLanguage(session.snippet)}><${Marked} text=${session.snippet} query=${query} /></span>
  </a>`;
}

/** Asks when one stops typing; the answers to the words before stay until then. @param {{query: string}} props */
export function FoundSessions({ query }) {
  const found = useSignal(/** @type {{query: string, sessions: any[], searched_until: string | null} | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const attempt = useSignal(0);
  useEffect(() => {
    const abort = new AbortController();
    const load = () =>
      search(query, "", abort.signal).then(
        (page) => ((found.value = { query, ...page }), (problem.value = null)),
        (error) => abort.signal.aborted || (problem.value = error),
      );
    const timer = setTimeout(load, TYPING_MS);
    return () => (clearTimeout(timer), abort.abort());
  }, [query, attempt.value]);
  const until = found.value?.searched_until ?? null;
  const loadOlder = () =>
    search(query, until ?? "").then(
      (page) => {
        if (found.value?.query === query && found.value.searched_until === until)
          found.value = { query, ...page, sessions: [...found.value.sessions, ...page.sessions] };
      },
      (error) => (problem.value = error),
    );
  const shown = (found.value?.sessions ?? []).filter(addressSession); // Suggestions have no page.
  return html`<section class="found-sessions" aria-label=${t("search.in_text")}>
    <p class="small quiet" role="status">${found.value && (shown.length ? t("search.in_text") : t("search.nothing"))}</p>
    <${ListProblem} problem=${problem.value} onRetry=${() => (attempt.value += 1)} />
    <ul class="list">${shown.map((session) => html`<li key=${session.id}><${FoundSession} session=${session} query=${found.value?.query} /></li>`)}</ul>
    ${until && html`<button type="button" class="button plain" onClick=${loadOlder}>${t("search.older", { time: formatRecent(until) })}</button>`}
  </section>`;
}
