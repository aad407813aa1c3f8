// Requests to the public HTTP API, with the token of this tab.

const TOKEN = "yarrow.token";

/** What went wrong with a request; `code` is one of docs/protocols/error-codes or `NETWORK`. */
export class ApiProblem extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} detail
   * @param {Record<string, any>} [params]
   */
  constructor(status, code, detail, params = {}) {
    super(detail);
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

/**
 * Send a request and return the response, whatever its status.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function send(path, options = {}) {
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
  return new ApiProblem(
    response.status,
    inner.code ?? `HTTP_${response.status}`,
    detail,
    inner.params ?? inner.details,
  );
}

/**
 * Send JSON and return the JSON of the answer; undefined where there is none.
 * @param {string} path
 * @param {{method?: string, body?: unknown, signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function request(path, { method = "GET", body, signal } = {}) {
  const headers = body === undefined ? undefined : { "content-type": "application/json" };
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const response = await send(path, { method, headers, body: payload, signal });
  if (!response.ok) throw await readProblem(response);
  return response.status === 204 ? undefined : response.json();
}
