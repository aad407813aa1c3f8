// What went wrong, in words with the way out.

import { html } from "../vendor/preact.js";
import { ApiProblem, readToken } from "./api.js";
import { hasAccounts, pageData, runPoints } from "./page_data.js";
import { describeNote } from "./notes.js";
import { formatMegabytes, hasWords, t } from "./words.js";

/**
 * The words of a problem: those of its code, else the server's own detail.
 * @param {{code: string, message: string, params?: Record<string, any>}} problem
 */
export function describeProblem({ code, message, params }) {
  if (!code) return t("problem.page", { detail: message }); // No answer of the server, but an error of ours.
  const key = `problem.${code}`;
  return hasWords(key)
    ? t(key, { price: runPoints, ...params, detail: params?.note ? describeNote(params.note) : message })
    : t("problem.other", { detail: message, code });
}

/** Refuse a file that the server would refuse, before it is sent. @param {File} file @param {number} max bytes */
export function requireSize(file, max) {
  if (!file.size) throw new ApiProblem(0, "FILE_EMPTY", "", { name: file.name });
  if (file.size > max) throw new ApiProblem(0, "FILE_LARGE", "", { name: file.name, max: formatMegabytes(max) });
}

export const makeSignInAddress = () => `/account?return=${encodeURIComponent(location.pathname + location.search)}`;

/**
 * A problem beside what it concerns, with a button to try again where that can help.
 * @param {{problem: {code: string, message: string, status?: number}, about?: string, onRetry?: () => void}} props
 */
export function ProblemNotice({ problem, about, onRetry }) {
  const isSignedOut = problem.code === "AUTH_REQUIRED";
  /** The address may have changed since. @param {any} event */
  const renew = (event) => (event.currentTarget.href = makeSignInAddress());
  return html`<div class=${isSignedOut ? "notice calm" : "notice"} role="alert">
    <p>${about && html`<span dir="auto">${about}</span>: `}${describeProblem(problem)}</p>
    ${isSignedOut && html`<a class="button" href=${makeSignInAddress()} onClick=${renew}>${t("account.sign_in")}</a>`}
    ${/^(AGENT_)?POINTS_INSUFFICIENT$/i.test(problem.code) && html`<a class="button" href="/account">${t("nav.account")}</a>`}
    ${onRetry && !isSignedOut && html`<button type="button" class="button" onClick=${onRetry}>${t("run.retry")}</button>`}
  </div>`;
}

/** The hint in place of a list that only its account sees. */
export const SignInHint = () =>
  html`<p class="small"><a href=${makeSignInAddress()}>${t("home.sign_in_recent")}</a></p>`;

/** What a page says at first to a reader who has not signed in. */
export function SignedOutNotice() {
  if (!hasAccounts || readToken()) return null;
  return html`<div class="notice calm" role="note"><p>${t("problem.AUTH_REQUIRED")}</p><a class="button" href=${makeSignInAddress()}>${t("account.sign_in")}</a></div>`;
}

/** A problem of a list beside the page's main thing: being signed out is said quietly. @param {{problem: any, onRetry: () => void}} props */
export function ListProblem({ problem, onRetry }) {
  if (!problem) return null;
  if (problem.code === "AUTH_REQUIRED") return html`<${SignInHint} />`;
  return html`<${ProblemNotice} problem=${problem} onRetry=${onRetry} />`;
}

/** Says that the connection is gone, and how often it was tried again. @param {{attempts: number}} props */
export function ConnectionNotice({ attempts }) {
  if (!attempts) return null;
  return html`<div class="notice calm" role="status"><p>${t("run.reconnecting", { count: attempts })}</p></div>`;
}

const EXCERPT = 160;

/** The end of a text, from a whole word on. @param {string} text */
const cutStart = (text) => (text.length > EXCERPT ? text.slice(-EXCERPT).replace(/^\S*\s/, "… ") : text);

/** Says that the server took an answer back and starts again. @param {{takenBack: {attempt: number, text: string} | null}} props */
export function TakenBackNotice({ takenBack }) {
  if (!takenBack) return null;
  return html`<div class="notice calm taken-back" role="status">
    <p>${t("run.restarted", { attempt: takenBack.attempt })}</p>
    ${takenBack.text && html`<del>${cutStart(takenBack.text)}</del>`}
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

/** Warnings of the run, besides that no model is configured. @param {{warnings: {code: string, message: string}[]}} props */
export function WarningNotes({ warnings }) {
  const shown = warnings.filter((warning) => warning.code !== "OFFLINE_ANSWERS");
  return html`${shown.map((warning) => html`<p class="note" role="note" lang=${hasWords(`warning.${warning.code}`) ? undefined : "en"}>${describeWarning(warning)}</p>`)}`;
}

/** @param {{code: string, message: string}} warning */
function describeWarning({ code, message }) {
  const key = `warning.${code}`;
  return hasWords(key) ? t(key, { detail: message }) : message;
}

/** Beside an answer: that no model gave it, and the setting that changes this. @param {{topic: string}} props */
export function ModelNote({ topic }) {
  if (pageData.model === "endpoint" || pageData.model === undefined) return null;
  return html`<p class="note no-print">${t(`model_note.${topic}`)} <a href="/docs/howto/models"><code>YARROW_LLM_BASE_URL</code></a></p>`;
}
