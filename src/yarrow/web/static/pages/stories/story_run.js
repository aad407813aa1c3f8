// A turn that is being written: sent once, followed through lost connections and restarts.

import { signal } from "../../vendor/preact.js";
import { ApiProblem } from "../../kit/api.js";
import { newId } from "../../kit/ids.js";
import { followStream } from "../../kit/run_client.js";
import { call } from "./tavern.js";

/**
 * @typedef {object} TurnRequest
 * @property {"respond" | "regenerate" | "retry" | "edit"} kind
 * @property {string} path
 * @property {Record<string, any>} body
 * @property {{name: string, text: string}} [draft] what was typed for it
 * @property {string} [floorId] of the floor whose reply is written again
 */

const REPLACEMENTS = new Set(["regenerate_page", "retry_turn"]);

export class StoryRun {
  /** @param {TurnRequest | null} request null: a turn that is running already @param {string} [floorId] @param {string} [key] of the same request, sent before */
  constructor(request, floorId = "", key = newId()) {
    this.request = request;
    this.floorId = signal(floorId);
    this.key = key;
    this.text = "";
    this.type = signal("");
    this.attempt = 1;
    /** @type {{attempt: number, text: string} | null} */
    this.takenBack = null;
    /** @type {any} */
    this.result = null;
    /** @type {{code: string, message: string} | null} */
    this.error = null;
    this.version = signal(0);
    this.attempts = signal(0);
    /** @type {import("../../vendor/preact.js").Signal<any>} */
    this.problem = signal(null);
    this.ended = signal(false);
    this.stopping = signal(false);
    this.abort = new AbortController();
    this.frame = 0;
  }

  async follow() {
    try {
      await followStream(
        {
          open: () => this.#open(),
          onFrame: (event, _id, name) => this.#apply(name, event),
          onConnection: (count) => (this.attempts.value = count),
        },
        this.abort.signal,
      );
    } catch (error) {
      this.problem.value = error;
    }
    if (!this.abort.signal.aborted) this.ended.value = true;
    this.version.value += 1;
  }

  /** The request itself until its floor is known; repeated with its key it is accepted once. */
  #open() {
    if (this.floorId.value || !this.request) return { path: `/floors/${this.floorId.value}/run/events` };
    const headers = { "content-type": "application/json", "idempotency-key": this.key };
    const { path, body } = this.request;
    return {
      path: `${path}?on_disconnect=continue`,
      options: { method: "POST", headers, body: JSON.stringify(body) },
    };
  }

  /** @param {string} name @param {any} event @returns {boolean} whether it is the last one */
  #apply(name, event) {
    if (name === "start") this.floorId.value = event.floor_id;
    else if (name === "chunk") this.text += event.chunk;
    else if (name === "run") this.#readRun(event);
    else if (name === "done") this.result = event;
    else if (name === "error") this.error = event;
    this.#changed();
    return name === "done" || name === "error";
  }

  /** Whether a turn of the timeline is answered anew; if that fails, it stays. */
  get isReplacement() {
    return REPLACEMENTS.has(this.type.value);
  }

  /** A higher attempt makes the text of the earlier one void. @param {any} event */
  #readRun({ run_type: type, attempt_no: attempt }) {
    this.type.value = type;
    if (attempt <= this.attempt) return;
    this.takenBack = { attempt, text: this.text };
    this.attempt = attempt;
    this.text = "";
  }

  #changed() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.version.value += 1;
    });
  }

  /** Stop; the text so far becomes the reply if there is any. */
  async stop() {
    if (!this.floorId.value) return this.#giveUp();
    this.stopping.value = true;
    const path = `/floors/${this.floorId.value}/run/cancel`;
    await call(path, { method: "POST", body: { keep: this.text !== "" } }).catch(() => (this.stopping.value = false));
  }

  /** Make no more attempts to reach the server. */
  #giveUp() {
    if (!this.attempts.value) return;
    this.leave();
    this.problem.value = new ApiProblem(0, "NETWORK", "");
    this.ended.value = true;
    this.version.value += 1;
  }

  leave() {
    this.abort.abort();
    cancelAnimationFrame(this.frame);
  }
}
