// One divination: its board, its reading and its follow-up, loaded or as they arrive.

import { effect, signal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { newId } from "../../kit/ids.js";
import { LiveRun } from "../../kit/live_run.js";
import { readText } from "../../kit/run_state.js";
import { readDraft, settleDraft, storeDraft } from "../../kit/drafts.js";
import { loadRuns } from "../../kit/usage.js";
import { forgetCast, formatMoment } from "./casting.js";
import { KINDS, METHODS, nameLine, readMoment } from "./terms.js";

/**
 * @typedef {object} Answer an answered or running turn
 * @property {string} question
 * @property {string} text
 * @property {any} output
 * @property {{code: string, message: string}[]} warnings
 * @property {string} at when it was asked, or empty
 */

const RUNS = "/api/v1/agents/divination/runs";

export class DivinationSession {
  /** @param {string} threadId */
  constructor(threadId) {
    this.threadId = threadId;
    /** @type {import("../../vendor/preact.js").Signal<"loading" | "missing" | "ready" | "failed">} */
    this.phase = signal("loading");
    /** @type {import("../../vendor/preact.js").Signal<any>} */
    this.problem = signal(null);
    /** @type {import("../../vendor/preact.js").Signal<any>} */
    this.divination = signal(null);
    /** @type {import("../../vendor/preact.js").Signal<any>} */
    this.explained = signal(null);
    /** @type {import("../../vendor/preact.js").Signal<Answer[]>} */
    this.answers = signal([]);
    /** @type {import("../../vendor/preact.js").Signal<LiveRun | null>} */
    this.run = signal(null);
    /** @type {import("../../vendor/preact.js").Signal<any[]>} the run of each answer */
    this.answerRuns = signal([]);
  }

  /** Questions that were answered; the server allows two. */
  get answered() {
    return this.answers.value.filter((answer) => answer.text).length;
  }

  /** Also after a follow-up that failed. */
  get canFollowUp() {
    return this.answered === 1 && (!this.run.value || this.run.value.ended.value);
  }

  async load() {
    try {
      const path = `/api/v1/agent/history?threadId=${encodeURIComponent(this.threadId)}`;
      this.#readHistory((await request(path)).messages);
      this.phase.value = "ready";
      void this.#loadRuns();
    } catch (error) {
      const { status } = /** @type {any} */ (error);
      this.problem.value = error;
      this.phase.value = status === 404 || status === 403 || status === 422 ? "missing" : "failed";
    }
  }

  /** Only runs that succeeded have an answer, in its order. */
  async #loadRuns() {
    const runs = await loadRuns(this.threadId);
    this.answerRuns.value = runs.filter((run) => run.status === "succeeded").reverse();
  }

  /** @param {any[]} messages */
  #readHistory(messages) {
    /** @type {Answer[]} */
    const answers = [];
    for (const message of messages) {
      if (message.role === "user") {
        answers.push({ question: message.content, text: "", output: null, at: message.timestamp, warnings: [] });
      } else if (message.role === "assistant" && answers.length) {
        const { content: text, agent_output: output, warnings = [] } = message;
        Object.assign(answers[answers.length - 1], { text, output, warnings });
        this.divination.value ??= message.agent_output?.divination_derived ?? null;
        this.explained.value ??= message.produced?.READING_EXPLAINED ?? null;
      }
    }
    this.answers.value = answers.filter((answer) => answer.text || answer === answers.at(-1));
    if (answers.length && !answers[answers.length - 1].text) this.#watch(new LiveRun(this.threadId, ""), "follow");
  }

  /**
   * Start the divination.
   * @param {{question: string, kind: string, method: string, lines: string[], at: string}} cast
   */
  cast({ question, kind, method, lines, at }) {
    const payload = {
      divinationMethod: method,
      questionType: KINDS[kind] ?? kind,
      question,
      divinationTimeIso: at,
      yaoLines: lines,
    };
    storeDraft(`cast.${this.threadId}`, JSON.stringify(payload));
    this.phase.value = "ready";
    this.#ask("chat", question, payload);
  }

  /** @param {string} question */
  followUp(question) {
    this.#ask("follow_up", question, this.#rebuildPayload());
  }

  /** Ask the last question again. */
  retry() {
    const asked = this.answers.value[this.answers.value.length - 1]?.question ?? "";
    const isFirst = this.answered === 0;
    const payload = this.#rebuildPayload();
    if (!payload) return;
    this.#ask(isFirst ? "chat" : "follow_up", asked, payload);
  }

  /** The lines that were cast, from the lowest. @returns {string[]} */
  get castLines() {
    return this.#rebuildPayload()?.yaoLines ?? [];
  }

  get canRetry() {
    return this.#rebuildPayload() !== null;
  }

  /** The payload of the cast, from this tab or from the board. */
  #rebuildPayload() {
    const stored = readDraft(`cast.${this.threadId}`);
    if (stored) return JSON.parse(stored);
    const derived = this.divination.value;
    if (!derived) return null;
    return {
      divinationMethod: derived.divinationMethod ?? METHODS.auto,
      questionType: derived.questionType,
      question: derived.question,
      divinationTimeIso: formatMoment(readMoment(derived.divinationTime) ?? undefined),
      yaoLines: derived.yaoInfoList.map(nameLine),
    };
  }

  /** @param {"chat" | "follow_up"} mode @param {string} question @param {any} payload */
  #ask(mode, question, payload) {
    const run = new LiveRun(this.threadId, newId());
    const body = {
      threadId: this.threadId,
      runId: run.runId,
      state: {},
      messages: [{ id: newId(), role: "user", content: question }],
      tools: [],
      context: [],
      forwardedProps: { runtime_mode: mode, divinationPayload: payload },
    };
    const answered = this.answers.value.filter((answer) => answer.text);
    this.answers.value = [...answered, { question, text: "", output: null, at: "", warnings: [] }];
    this.#watch(run, "start", body);
  }

  /** Show a run while it goes, and keep its answer when it has ended. @param {LiveRun} run @param {"start" | "follow"} way @param {any} [body] */
  async #watch(run, way, body) {
    this.run.value = run;
    const stop = effect(() => {
      run.version.value;
      const { products } = run.state;
      this.divination.value ??= products.DIVINATION_DERIVED ?? null;
      this.explained.value ??= products.READING_EXPLAINED ?? null;
    });
    await (way === "start" ? run.start(RUNS, body) : run.follow());
    stop();
    if (way === "start" && !run.abort.signal.aborted) this.#settleQuestion(run, body);
    if (run.state.status !== "succeeded") return;
    const part = run.state.parts.findLast((each) => each.kind === "text");
    const answers = [...this.answers.value];
    const last = answers[answers.length - 1];
    answers[answers.length - 1] = {
      ...last,
      text: readText(run.state),
      output: part?.kind === "text" ? part.output : null,
      warnings: run.state.warnings,
    };
    this.answers.value = answers;
    this.run.value = null;
    void this.#loadRuns();
  }

  /** @param {LiveRun} run @param {any} body */
  #settleQuestion(run, body) {
    const isCast = body.forwardedProps.runtime_mode === "chat";
    const name = isCast ? "liuyao" : `follow.${this.threadId}`;
    settleDraft(name, body.messages[0].content, run.isAccepted);
    if (isCast && run.isAccepted) forgetCast(body.forwardedProps.divinationPayload.yaoLines);
    if (isCast && !run.isAccepted && location.pathname.startsWith("/liuyao/"))
      history.replaceState(null, "", "/liuyao");
  }

  leave() {
    this.run.value?.leave();
  }
}
