// The databases and folders of the account: calls to their routes, and their list.

import { html, signal, useEffect } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { useDeletion } from "../../kit/deletion.js";
import { IconButton } from "../../kit/icons.js";
import { ProblemNotice, describeProblem } from "../../kit/problems.js";
import { hasWords, t } from "../../kit/words.js";

/**
 * @typedef {object} Source
 * @property {string} name
 * @property {string} kind
 * @property {string} address without credentials
 * @property {number} table_count
 * @property {boolean} tables_truncated
 * @property {string | null} catalogue_at
 */

/** @type {import("../../vendor/preact.js").Signal<Source[] | null>} */
const sources = signal(null);
const problem = signal(/** @type {any} */ (null));

/** @param {string} path @param {{method?: string, body?: unknown, signal?: AbortSignal, keepalive?: boolean}} [options] */
export const callSources = async (path, options) => (await request(`/api/sources${path}`, options)).data;

/** @param {string} name */
export const pathOf = (name) => `/${encodeURIComponent(name)}`;

/** The view of a source; of an empty name the form that connects one. @param {string} name */
export const addressSource = (name) => `/data?source=${encodeURIComponent(name)}`;

export async function loadSources() {
  problem.value = null;
  try {
    sources.value = (await callSources("")).sources;
  } catch (error) {
    problem.value = error;
  }
}

/**
 * A problem of a source: its codes are those of tables, with words of their own.
 * @param {{problem: any, onRetry?: () => void}} props
 */
export function SourceProblem({ problem, onRetry }) {
  const key = `data.source_problem.${problem.code}`;
  if (!hasWords(key)) return html`<${ProblemNotice} problem=${problem} onRetry=${onRetry} />`;
  return html`<div class="notice" role="alert">
    <p>${t(key)}<br /><small lang="en" dir="auto">${problem.message}</small></p>
    ${onRetry && html`<button type="button" class="button" onClick=${onRetry}>${t("run.retry")}</button>`}
  </div>`;
}

/** @param {{current: string | null, onDeleted: (name: string) => void}} props */
export function SourceList({ current, onDeleted }) {
  useEffect(() => void loadSources(), []);
  const deletion = useDeletion({
    erase: (name, options) => callSources(pathOf(name), { method: "DELETE", ...options }),
    onDeleted: (name) => {
      sources.value = (sources.value ?? []).filter((source) => source.name !== name);
      onDeleted(name);
    },
    onProblem: (error) => (problem.value = error),
  });
  const shown = (sources.value ?? []).filter(({ name }) => !deletion.isDoomed(name));
  const isSignedOut = problem.value?.code === "AUTH_REQUIRED"; // The list of questions says so.
  return html`${deletion.notice}
    ${problem.value && !isSignedOut && html`<div class="notice" role="alert"><p>${describeProblem(problem.value)}</p></div>`}
    <ul class="list">${shown.map(({ name, kind }) => html`<li class="past" key=${name}><a class="table-link" href=${addressSource(name)} aria-current=${current === name ? "true" : undefined}><span dir="auto" class="session-title">${name}</span><span class="session-time">${t(`data.source_kind.${kind}`)}</span></a><${IconButton} name="close" label=${t("data.source_forget", { name })} onClick=${() => deletion.remove(name)} /></li>`)}</ul>
    <a class="button wide" href=${addressSource("")} aria-current=${current === "" ? "page" : undefined}>${t("data.source_connect")}</a>`;
}
