// The forms of the reference: send the call with the reader's own token and show what comes back.

import { ApiProblem, sendAnyway } from "../../kit/api.js";

const SHOWN_MAX = 200_000;

/** @param {HTMLFormElement} form @param {string} place @returns {[string, string][]} values that were filled in */
function readInputs(form, place) {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll(`[data-place=${place}]`));
  return [...fields].filter((field) => field.value !== "").map((field) => [field.name, field.value]);
}

/** @param {HTMLFormElement} form */
function buildAddress(form) {
  let path = /** @type {string} */ (form.dataset.path);
  for (const [name, value] of readInputs(form, "path"))
    path = path.replace(`{${name}}`, () => encodeURIComponent(value)).replace(`{${name}:path}`, () => encodeURI(value));
  const query = new URLSearchParams(readInputs(form, "query")).toString();
  return query ? `${path}?${query}` : path;
}

/** @param {HTMLFormElement} form @returns {RequestInit} */
function buildRequest(form) {
  const { method, media } = form.dataset;
  const headers = new Headers(readInputs(form, "header"));
  if (!media) return { method, headers };
  if (media === "multipart/form-data") {
    const body = new FormData();
    for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[data-place=form]"))) {
      const value = field.files ? field.files[0] : field.value;
      if (value) body.set(field.name, value);
    }
    return { method, headers, body };
  }
  headers.set("content-type", media);
  return { method, headers, body: /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea")).value };
}

/** @param {string} text @param {string} type */
function makeReadable(text, type) {
  if (!type.includes("json") || type.includes("ndjson")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Show a body as it arrives; of a long one its beginning.
 * @param {Response} response @param {HTMLElement} shown
 */
async function showBody(response, shown) {
  const type = response.headers.get("content-type") ?? "";
  if (!/json|text|xml|event-stream/.test(type)) {
    const bytes = await response.arrayBuffer();
    shown.textContent = `${type} · ${bytes.byteLength} B`;
    return;
  }
  const isStream = /event-stream|ndjson/.test(type);
  let text = "";
  if (response.body)
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (isStream) shown.textContent = text.slice(0, SHOWN_MAX);
    }
  const readable = makeReadable(text, type);
  shown.textContent = readable.length > SHOWN_MAX ? `${readable.slice(0, SHOWN_MAX)}\n…` : readable;
}

/** @param {HTMLFormElement} form */
function wire(form) {
  const find = (/** @type {string} */ name) => /** @type {HTMLElement} */ (form.querySelector(name));
  const [output, status, shown] = [find(".call-answer"), find(".call-status"), find(".call-answer pre")];
  const sendButton = /** @type {HTMLButtonElement} */ (find("button.primary"));
  const stopButton = /** @type {HTMLButtonElement} */ (find("button.stop"));
  let abort = new AbortController();
  stopButton.addEventListener("click", () => abort.abort());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    abort = new AbortController();
    sendButton.disabled = true;
    stopButton.hidden = output.hidden = false;
    status.textContent = sendButton.dataset.sending ?? "";
    shown.textContent = "";
    const startedAt = performance.now();
    try {
      const response = await sendAnyway(buildAddress(form), { ...buildRequest(form), signal: abort.signal });
      status.textContent = `${response.status} ${response.statusText} · ${Math.round(performance.now() - startedAt)} ms`;
      await showBody(response, shown);
    } catch (error) {
      if (error instanceof ApiProblem) status.textContent = sendButton.dataset.unreachable ?? "";
      else if (!abort.signal.aborted) status.textContent = String(error);
    }
    sendButton.disabled = false;
    stopButton.hidden = true;
  });
}

for (const form of document.querySelectorAll("form.call")) wire(/** @type {HTMLFormElement} */ (form));
