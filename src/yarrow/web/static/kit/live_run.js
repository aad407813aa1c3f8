// A run that a component shows: its state as a signal that changes at most 25 times a second.

import { signal } from "../vendor/preact.js";
import { ApiProblem } from "./api.js";
import { syncLanguage } from "./profile.js";
import { cancelRun, followRun, submitRun } from "./run_client.js";
import { applyEvent, startState } from "./run_state.js";

/**
 * @typedef {import("./run_state.js").RunState} RunState
 */

const CHANGE_MS = 40; // Reads as a stream, and costs a slow machine half of what every frame would.

export class LiveRun {
  /** @param {string} threadId @param {string} runId empty: the newest run of the thread */
  constructor(threadId, runId) {
    this.threadId = threadId;
    this.runId = runId;
    this.state = startState();
    this.version = signal(0);
    this.attempts = signal(0);
    /** Whether the server has the run; one that it refused can be asked again as if it had never been. */
    this.isAccepted = false;
    /** @type {import("../vendor/preact.js").Signal<ApiProblem | null>} */
    this.problem = signal(null);
    this.ended = signal(false);
    this.stopping = signal(false);
    this.abort = new AbortController();
    this.submission = new AbortController();
    this.timer = 0;
    this.frame = 0;
    this.changedAt = -CHANGE_MS;
  }

  /** Submit the run, then follow it. @param {string} path @param {any} body @param {{comparesIds?: boolean}} [options] */
  async start(path, body, { comparesIds } = {}) {
    try {
      await syncLanguage();
      const { signal } = this.submission;
      await submitRun(path, body, { comparesIds, signal, onConnection: (count) => (this.attempts.value = count) });
      this.isAccepted = true;
    } catch (error) {
      this.#fail(this.submission.signal.aborted ? new ApiProblem(0, "NETWORK", "") : error);
      return;
    }
    await this.follow();
  }

  async follow() {
    try {
      await followRun(
        {
          threadId: this.threadId,
          runId: this.runId || undefined,
          onEvent: (event) => {
            if (event.type === "RUN_STARTED" && !this.runId) this.runId = event.runId;
            applyEvent(this.state, event);
            this.#changed();
          },
          onConnection: (count) => (this.attempts.value = count),
        },
        this.abort.signal,
      );
      this.ended.value = true;
      this.version.value += 1;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ask the server to stop the run; its last event tells that it did. Where it cannot be reached no more attempts are made. */
  async stop() {
    if (!this.isAccepted && this.attempts.value) return this.submission.abort();
    this.stopping.value = true;
    await cancelRun(this.threadId, this.runId).catch(() => (this.stopping.value = false));
  }

  /** Stop following; the run goes on. */
  leave() {
    this.abort.abort();
    this.submission.abort();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
  }

  #changed() {
    if (this.timer || this.frame) return;
    const wait = this.changedAt + CHANGE_MS - performance.now();
    if (wait <= 0) this.#show();
    else this.timer = window.setTimeout(() => this.#show(), wait);
  }

  #show() {
    this.timer = 0;
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      this.changedAt = now;
      this.version.value += 1;
    });
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.abort.signal.aborted) return;
    this.attempts.value = 0;
    this.problem.value = /** @type {ApiProblem} */ (error);
    this.ended.value = true;
    this.version.value += 1;
  }
}
