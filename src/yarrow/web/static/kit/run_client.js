// Follows a run to its end: resumes after a lost connection, a restarted server and a hidden tab.

import { ApiProblem, readProblem, request, send } from "./api.js";
import { readServerSentEvents } from "./streams.js";

/**
 * @typedef {{type: string, [field: string]: any}} RunEvent
 * @typedef {object} Followed
 * @property {string} threadId
 * @property {string} [runId] the newest run of the thread if left out
 * @property {(event: RunEvent, id: number) => void} onEvent
 * @property {(attempts: number) => void} [onConnection] 0 when connected, else how often it was tried
 */

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8000;
const SILENCE_MS = 45000; // The server sends a ping every 15 s.
const SUBMIT_ATTEMPTS = 6;
const UNREACHED_ATTEMPTS = 20; // Two minutes and a half: longer than a server takes to start.
const LONGEST_WAIT_MS = 30000; // A server that asks for more is not asked again by itself.

/** @param {number} ms @param {AbortSignal} signal */
const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve(undefined)), { once: true });
  });

/** Wait until the tab is seen. @param {AbortSignal} signal */
const untilSeen = (signal) =>
  new Promise((resolve) => {
    if (!document.hidden || signal.aborted) return resolve(undefined);
    const check = () => !document.hidden && resolve(undefined);
    document.addEventListener("visibilitychange", check, { signal });
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });

/** @param {RunEvent} event */
export const endsRun = (event) => event.type === "RUN_FINISHED" || event.type === "RUN_ERROR";

/** A problem that no further attempt can solve; some routes answer it with status 200. @param {unknown} error */
export const isFinal = (error) =>
  error instanceof ApiProblem && error.status > 0 && error.status < 500 && error.status !== 429;

/** Growing pauses, or as long as the server asks for. @param {unknown} error @param {number} attempt */
const choosePause = (error, attempt) =>
  Math.max(
    Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS),
    Math.min(error instanceof ApiProblem ? error.waitMs : 0, LONGEST_WAIT_MS),
  );

/** Whether a request that the server did not take is left to the reader to repeat. @param {unknown} error @param {number} attempt */
function givesUp(error, attempt) {
  if (!(error instanceof ApiProblem) || error.status === 0) return attempt >= UNREACHED_ATTEMPTS;
  return attempt >= SUBMIT_ATTEMPTS || error.waitMs > LONGEST_WAIT_MS;
}

/**
 * Submit a run. It is repeated until the server answers: the same `runId` is accepted only once.
 * @param {string} path
 * @param {{threadId: string, runId: string, [field: string]: unknown}} body
 * @param {{comparesIds?: boolean, signal?: AbortSignal, onConnection?: (attempts: number) => void}} [options]
 */
export async function submitRun(path, body, { comparesIds, signal = new AbortController().signal, onConnection } = {}) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await postRun(path, body, comparesIds === true, signal);
      onConnection?.(0);
      return;
    } catch (error) {
      const isOver = isFinal(error) || givesUp(error, attempt);
      onConnection?.(isOver ? 0 : attempt);
      if (signal.aborted || isOver) throw error;
      await pause(choosePause(error, attempt), signal);
      if (signal.aborted) throw error;
    }
  }
}

/**
 * Only a request for a stream compares message ids: one that was posted before replaces its turn. The stream is let go:
 * the run goes on, and is followed like any other.
 * @param {string} path @param {unknown} body @param {boolean} comparesIds @param {AbortSignal} signal
 */
async function postRun(path, body, comparesIds, signal) {
  const headers = { "content-type": "application/json", ...(comparesIds && { accept: "text/event-stream" }) };
  const response = await send(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!response.ok) throw await readProblem(response);
  await response.body?.cancel();
}

/**
 * Deliver every event of a run once and in order; resolves with its last event.
 * @param {Followed} followed
 * @param {AbortSignal} signal
 * @returns {Promise<RunEvent | null>} null if it was aborted
 */
export function followRun({ threadId, runId, onEvent, onConnection }, signal) {
  const query = runId ? `?runId=${encodeURIComponent(runId)}` : "";
  const path = `/api/v1/agent/runs/${encodeURIComponent(threadId)}/events${query}`;
  const onFrame = (/** @type {RunEvent} */ event, /** @type {number} */ id) => {
    onEvent(event, id);
    return endsRun(event);
  };
  return followStream({ open: () => ({ path }), onFrame, onConnection }, signal);
}

/**
 * @typedef {{id: number, name: string, event: any}} Frame one event; its id is 0 where the stream has none
 * @typedef {(response: Response, onBytes: () => void) => AsyncIterable<Frame>} ReadFrames
 */

/** @type {ReadFrames} */
async function* readEvents(response, onBytes) {
  if (!response.body) return;
  for await (const { id, name, data } of readServerSentEvents(response.body, onBytes))
    yield { id: Number(id) || 0, name, event: JSON.parse(data) };
}

/**
 * Follow a stream through lost connections; a request that submits is repeated a few times only.
 * @param {object} followed
 * @param {() => {path: string, options?: RequestInit}} followed.open the request of the next connection; a POST submits the run
 * @param {ReadFrames} [followed.read] numbered server-sent events unless it is given
 * @param {(event: any, id: number, name: string) => boolean} followed.onFrame whether it was the last one
 * @param {(attempts: number) => void} [followed.onConnection] 0 when connected, else how often it was tried
 * @param {AbortSignal} signal
 * @returns {Promise<any>} the last event; null if it was aborted
 */
export async function followStream({ open, read = readEvents, onFrame, onConnection }, signal) {
  let lastId = -1;
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    await untilSeen(signal);
    if (signal.aborted) return null;
    const next = open();
    let failure = /** @type {unknown} */ (null);
    try {
      const frames = connect({ ...next, read, lastId, onOpen: () => onConnection?.(0) }, signal);
      for await (const { id, name, event } of frames) {
        attempt = 0;
        const isLast = onFrame(event, id, name);
        lastId = Math.max(lastId, id);
        if (isLast) return event;
      }
    } catch (error) {
      if (signal.aborted) return null;
      if (isFinal(error) || (next.options?.method === "POST" && givesUp(error, attempt))) {
        onConnection?.(0);
        throw error;
      }
      failure = error;
    }
    if (document.hidden) continue;
    onConnection?.(attempt + 1);
    await pause(choosePause(failure, attempt), signal);
  }
  return null;
}

/**
 * One connection. It ends when the server or the network ends it, and when the tab is hidden.
 * @param {{path: string, options?: RequestInit, read: ReadFrames, lastId: number, onOpen: () => void}} request
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Frame>}
 */
async function* connect({ path, options, read, lastId, onOpen }, signal) {
  const connection = new AbortController();
  const release = () => connection.abort();
  const hide = () => document.hidden && release();
  let silence = setTimeout(release, SILENCE_MS);
  const listen = () => {
    clearTimeout(silence);
    silence = setTimeout(release, SILENCE_MS);
  };
  signal.addEventListener("abort", release);
  document.addEventListener("visibilitychange", hide);
  try {
    const headers = new Headers({ accept: "text/event-stream", ...options?.headers });
    if (lastId >= 0) headers.set("last-event-id", String(lastId));
    const response = await send(path, { ...options, headers, signal: connection.signal });
    if (!response.ok) throw await readProblem(response);
    onOpen();
    yield* read(response, listen);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", release);
    document.removeEventListener("visibilitychange", hide);
    release();
  }
}

/** @param {string} threadId @param {string} runId */
export const cancelRun = (threadId, runId) =>
  request(`/api/v1/agent/runs/${threadId}/cancel?runId=${encodeURIComponent(runId)}`, { method: "POST" });
