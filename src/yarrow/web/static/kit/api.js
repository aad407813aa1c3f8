// Requests to the public HTTP API, with the token of this tab.

import { hasAccounts } from "./page_data.js";

const TOKEN = "yarrow.token";

/** What went wrong with a request; `code` is one of docs/protocols/error-codes or `NETWORK`. */
export class ApiProblem extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} detail
   * @param {Record<string, any>} [params]
   * @param {number} [waitMs] how long the server asks to wait before the next attempt
   */
  constructor(status, code, detail, params = {}, waitMs = 0) {
    super(detail);
    this.waitMs = waitMs;
    this.status = status;
    this.code = code;
    this.params = params;
  }
}

/** @returns {string} */
export function readToken() {
  try {
    return sessionStorage.getItem(TOKEN) ?? localStorage.getItem(TOKEN) ?? "";
  } catch {
    return "";
  }
}

/**
 * Keep the token for the tab, or for longer if the user asked to be remembered.
 * @param {string} token
 * @param {boolean} remember
 */
export function storeToken(token, remember) {
  forgetToken();
  (remember ? localStorage : sessionStorage).setItem(TOKEN, token);
}

export function forgetToken() {
  sessionStorage.removeItem(TOKEN);
  localStorage.removeItem(TOKEN);
}

const NEEDS_NO_ACCOUNT = /^\/api\/v1\/auth\//;

/**
 * Send a request and return the response, whatever its status. What needs an account is not sent without a token: the
 * answer is known, and the browser would write it to its console.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function send(path, options = {}) {
  if (hasAccounts && !readToken() && !NEEDS_NO_ACCOUNT.test(path))
    throw new ApiProblem(401, "AUTH_REQUIRED", "a bearer token is required");
  return sendAnyway(path, options);
}

/**
 * Send a request with the token if there is one.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function sendAnyway(path, options = {}) {
  const headers = new Headers(options.headers);
  const token = readToken();
  if (token) headers.set("authorization", `Bearer ${token}`);
  try {
    return await fetch(path, { ...options, headers });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiProblem(0, "NETWORK", String(error));
  }
}

/**
 * Turn a response that is no success into a problem.
 * @param {Response} response
 * @returns {Promise<ApiProblem>}
 */
export async function readProblem(response) {
  const body = await response.json().catch(() => ({}));
  const inner = body.error && typeof body.error === "object" ? body.error : body;
  const detail = inner.detail ?? inner.message ?? response.statusText;
  const code = inner.code === "unauthorized" ? "AUTH_REQUIRED" : inner.code; // The stories' name of it.
  const params = inner.note ? { note: inner.note } : (inner.params ?? inner.details);
  const waitMs = readRetryAfter(response.headers.get("retry-after") ?? "");
  return new ApiProblem(response.status, code ?? `HTTP_${response.status}`, detail, params, waitMs);
}

/** Milliseconds of a `Retry-After` in seconds or as a date; 0 without one. @param {string} value */
function readRetryAfter(value) {
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.max(waitMs || 0, 0);
}

/**
 * Send JSON and return the JSON of the answer; undefined where there is none.
 * @param {string} path
 * @param {{method?: string, body?: unknown, signal?: AbortSignal, keepalive?: boolean}} [options]
 * @returns {Promise<any>}
 */
export async function request(path, { method = "GET", body, ...rest } = {}) {
  const headers = body === undefined ? undefined : { "content-type": "application/json" };
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const response = await send(path, { method, headers, body: payload, ...rest });
  if (!response.ok) throw await readProblem(response);
  return response.status === 204 ? undefined : response.json();
}
