// What went wrong, in words with the way out.

import { html } from "../vendor/preact.js";
import { hasAccounts, pageData } from "./page_data.js";
import { hasWords, t } from "./words.js";

/** @typedef {import("./api.js").ApiProblem} ApiProblem */

/**
 * The words of a problem: those of its code, else the server's own detail.
 * @param {{code: string, message: string}} problem
 */
export function describeProblem({ code, message }) {
  const key = `problem.${code}`;
  return hasWords(key) ? t(key, { detail: message }) : t("problem.other", { detail: message, code });
}

/**
 * A problem beside what it concerns, with a button to try again where that can help.
 * @param {{problem: {code: string, message: string, status?: number}, onRetry?: () => void}} props
 */
export function ProblemNotice({ problem, onRetry }) {
  const isSignedOut = problem.code === "AUTH_REQUIRED";
  const makeAddress = () => `/account?return=${encodeURIComponent(location.pathname + location.search)}`;
  /** The address may have changed since. @param {any} event */
  const renew = (event) => (event.currentTarget.href = makeAddress());
  return html`<div class="notice" role="alert">
    <p>${describeProblem(problem)}</p>
    ${isSignedOut && html`<a class="button" href=${makeAddress()} onClick=${renew}>${t("account.sign_in")}</a>`}
    ${onRetry && !isSignedOut && html`<button type="button" class="button" onClick=${onRetry}>${t("run.retry")}</button>`}
  </div>`;
}

/** Says that the connection is gone, and how often it was tried again. @param {{attempts: number}} props */
export function ConnectionNotice({ attempts }) {
  if (!attempts) return null;
  return html`<div class="notice calm" role="status"><p>${t("run.reconnecting", { count: attempts })}</p></div>`;
}

/** Says that the server took an answer back and starts again. @param {{takenBack: {attempt: number, text: string} | null}} props */
export function TakenBackNotice({ takenBack }) {
  if (!takenBack) return null;
  return html`<div class="notice calm taken-back" role="status">
    <p>${t("run.restarted", { attempt: takenBack.attempt })}</p>
    ${takenBack.text && html`<del>${takenBack.text.slice(-160)}</del>`}
  </div>`;
}

/**
 * How a run ended that did not succeed.
 * @param {{state: import("./run_state.js").RunState, onRetry?: () => void}} props
 */
export function EndNotice({ state, onRetry }) {
  if (!state.error) return null;
  const words = state.status === "cancelled" ? t("run.cancelled") : describeProblem(state.error);
  return html`<div class="notice" role="alert">
    <p><strong>${words}</strong>${hasAccounts && t("run.not_charged")}</p>
    ${onRetry && html`<button type="button" class="button" onClick=${onRetry}>${t("run.retry")}</button>`}
  </div>`;
}

/** Warnings of the run, and who answered where no model is configured. @param {{warnings: {code: string, message: string}[]}} props */
export function WarningNotes({ warnings }) {
  const shown = warnings.filter((warning) => warning.code !== "OFFLINE_ANSWERS");
  return html`${shown.map((warning) => html`<p class="note" role="note">${describeWarning(warning)}</p>`)}`;
}

/** @param {{code: string, message: string}} warning */
function describeWarning({ code, message }) {
  const key = `warning.${code}`;
  return hasWords(key) ? t(key) : message;
}

/** Beside an answer: that no model gave it, and the setting that changes this. @param {{topic: string}} props */
export function ModelNote({ topic }) {
  if (pageData.model === "endpoint" || pageData.model === undefined) return null;
  return html`<p class="note no-print">${t(`model_note.${topic}`)} <a href="/docs/howto/models"><code>YARROW_LLM_BASE_URL</code></a></p>`;
}
