// One question to the analyst: its lines as they arrive, resumed after a lost connection.

import { signal } from "../../vendor/preact.js";
import { ApiProblem } from "../../kit/api.js";
import { newId } from "../../kit/ids.js";
import { cancelRun } from "../../kit/run_client.js";
import { loadRuns } from "../../kit/usage.js";
import { followLines } from "./line_stream.js";

const ASK = "/api/agent/data-agent-streaming";
const PAUSES = new Set(["clarify", "explain", "delegate"]);
const LAST = new Set(["completion", "error", ...PAUSES]);

/**
 * @typedef {object} AnalysisState
 * @property {string} phase
 * @property {{kind: string, title: string, text: string}[]} steps thoughts and tool calls
 * @property {string} text
 * @property {any[]} charts
 * @property {string[]} tables that the present step reads
 * @property {{code: string, message: string}[]} warnings
 * @property {any} pause
 * @property {string} summary
 * @property {{attempt: number, text: string} | null} takenBack what a lost attempt had written
 */

/** @returns {AnalysisState} */
const startState = () => ({
  phase: "",
  steps: [],
  text: "",
  charts: [],
  tables: [],
  warnings: [],
  pause: null,
  summary: "",
  takenBack: null,
});

/** Models are asked to make the words of a chart that matter bold. @param {string} text */
export const removeBold = (text) => text.replace(/\*\*(.+?)\*\*/g, "$1");

/** Everything of the lost attempt is void. @param {AnalysisState} state @param {AnalysisState} before the last connection */
function restart(state, before) {
  const attempt = (state.takenBack?.attempt ?? 1) + 1;
  const isNew = attempt > (before.takenBack?.attempt ?? 1);
  const takenBack = isNew ? { attempt, text: state.text || before.text } : before.takenBack;
  Object.assign(state, startState(), { takenBack });
}

/** @type {Record<string, (state: AnalysisState, line: any, before: AnalysisState) => void>} */
const CHANGES = {
  progress: (state, line, before) => {
    if (line.phase === "restarted") restart(state, before);
    state.phase = line.phase;
  },
  thinking_text: (state, line) => void state.steps.push({ kind: "thought", title: "", text: line.content }),
  text_delta: (state, line) => {
    state.text += line.content;
  },
  tool_start: (state, line) =>
    void state.steps.push({ kind: "tool", title: line.tool, text: line.code ?? line.query ?? line.purpose ?? "" }),
  tool_result: (state, line) =>
    void state.steps.push({ kind: "result", title: line.tool, text: line.error ?? line.stdout ?? "" }),
  action: (state, line) => {
    state.tables = line.input_tables ?? [];
    if (line.thought) state.steps.push({ kind: "thought", title: "", text: line.thought });
  },
  result: (state, line) => void state.charts.push({ ...line.content, tables: state.tables }),
  warning: (state, { warning: { message_code: code, message } }) => void state.warnings.push({ code, message }),
  completion: (state, line) => {
    state.summary = line.content.summary ?? "";
  },
};

export class Analysis {
  /** @param {string} question @param {{title: string, describeSteps: () => any[]} | null} [before] the one that this one continues */
  constructor(question, before) {
    this.question = question;
    /** @type {string} the question that this one continues */
    this.follows = before?.title ?? "";
    /** @type {any[]} earlier steps, for the prompt */
    this.thread = before?.describeSteps() ?? [];
    /** @type {AnalysisState} */
    this.state = this.before = startState();
    this.frame = 0;
    this.version = signal(0);
    this.attempts = signal(0);
    this.sessionId = signal("");
    this.ids = { session: "", run: "" };
    this.key = newId();
    /** @type {any} what is asked; null where a session is opened again */
    this.body = null;
    this.isOver = signal(false);
    this.run = signal(/** @type {any} */ (null)); // What it used, when it is over.
    /** @type {import("../../vendor/preact.js").Signal<any>} */
    this.problem = signal(null);
    this.abort = new AbortController();
  }

  /** @param {string[]} tables @param {any} [pause] */
  start(tables, pause) {
    const reply = pause ? { trajectory: pause.trajectory, completed_step_count: pause.completed_step_count } : {};
    this.body = { user_question: this.question, input_tables: tables.map((name) => ({ name })), ...reply };
    if (this.thread.length) this.body.focused_thread = this.thread;
    return this.#follow();
  }

  /** Send a question that the server did not take once more; with its key it is asked once. */
  submitAgain() {
    this.problem.value = null;
    this.isOver.value = false;
    return this.#follow();
  }

  /** @returns {string} */
  get title() {
    return this.question || removeBold(this.state.charts[0]?.question ?? "");
  }

  /** What was asked and made, for the prompt of a question that continues this one. @returns {any[]} */
  describeSteps() {
    const steps = this.state.charts.map(({ question, result }) => ({
      user_question: question,
      display_instruction: result.refined_goal?.display_instruction,
      table_name: result.content?.virtual?.table_name,
      chart_type: result.refined_goal?.chart?.chart_type,
      code: result.code,
    }));
    return [...this.thread, ...steps];
  }

  /** Show the newest run of a session again. @param {string} sessionId */
  resume(sessionId) {
    this.sessionId.value = this.ids.session = sessionId;
    return this.#follow();
  }

  async #follow() {
    try {
      await followLines(
        {
          path: ASK,
          body: this.body,
          key: this.key,
          run: this.ids,
          onBegin: () => ([this.before, this.state] = [this.state, startState()]), // Until then what is shown stays.
          onLine: (line) => this.#take(line),
          onConnection: (count) => (this.attempts.value = count),
        },
        this.abort.signal,
      );
      if (!this.abort.signal.aborted) this.#end();
    } catch (error) {
      this.#end(error);
    }
  }

  /** @param {any} line @returns {boolean} whether it was the last */
  #take(line) {
    this.sessionId.value = this.ids.session;
    CHANGES[line.type]?.(this.state, line, this.before);
    if (PAUSES.has(line.type)) this.state.pause = line;
    if (line.type === "error") this.problem.value = new ApiProblem(200, line.error.code, line.error.message);
    this.#changed();
    return LAST.has(line.type);
  }

  /** The lines that a connection repeats are shown at once, not one after the other. */
  #changed() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.version.value += 1;
    });
  }

  /** @param {unknown} [error] */
  #end(error) {
    const isMissing = error instanceof ApiProblem && error.code === "NOT_FOUND";
    if (error) this.problem.value = isMissing ? new ApiProblem(404, "AGENT_SESSION_NOT_FOUND", "") : error;
    this.isOver.value = true;
    this.version.value += 1;
    if (this.sessionId.value && !isMissing)
      void loadRuns(this.sessionId.value).then(
        (runs) => (this.run.value = runs.find(({ run_id: id }) => id === this.ids.run)),
      );
  }

  async stop() {
    this.leave();
    this.attempts.value = 0;
    if (this.sessionId.value) await cancelRun(this.ids.session, this.ids.run).catch(() => undefined);
    this.#end(new ApiProblem(200, "STOPPED", ""));
  }

  leave() {
    this.abort.abort();
    cancelAnimationFrame(this.frame);
  }
}
