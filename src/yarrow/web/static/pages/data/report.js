// A report about the charts of a question: it streams in, then it is the reader's to change.

import { batch, signal } from "../../vendor/preact.js";
import { ApiProblem, readProblem, send } from "../../kit/api.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { newId } from "../../kit/ids.js";
import { splitBlocks } from "../../kit/markdown.js";
import { pageData } from "../../kit/page_data.js";
import { cancelRun } from "../../kit/run_client.js";
import { saveFile } from "../../kit/save_file.js";
import { followLines } from "./line_stream.js";

const WRITE = "/api/agent/generate-report-chat";
const ROWS_SENT = 200;

export class Report {
  /** @param {string} sessionId @param {string} question @param {any[]} charts results of the analyst */
  constructor(sessionId, question, charts) {
    this.draft = `report.${sessionId}`;
    this.question = question;
    this.charts = new Map(charts.map((chart, place) => [`chart-${place + 1}`, chart]));
    /** @type {Map<string, any>} tables by their name in lower case, as the stream sent them */
    this.tables = new Map();
    const stored = readDraft(this.draft);
    this.blocks = signal(stored ? splitBlocks(stored) : []);
    /** @type {import("../../vendor/preact.js").Signal<"writing" | "done">} */
    this.phase = signal(stored ? "done" : "writing");
    /** @type {import("../../vendor/preact.js").Signal<any>} */
    this.problem = signal(null);
    /** @type {import("../../vendor/preact.js").Signal<{attempt: number, text: string} | null>} */
    this.takenBack = signal(null);
    this.attempts = signal(0);
    /** @type {string[]} */
    this.before = [];
    this.ids = { session: "", run: "" };
    this.abort = new AbortController();
  }

  get markdown() {
    return this.blocks.value.join("\n\n");
  }

  /** Write it, unless it was written in this tab before; one that was begun goes on. */
  open() {
    const [session, run] = readDraft(this.#runDraft).split(" ");
    if (run) void this.write({ session, run });
    else if (this.phase.value === "writing") void this.write();
  }

  /**
   * Write it; the blocks before stay until the new text begins, and come back if it fails.
   * @param {import("./line_stream.js").LineRun} [begun] @returns {Promise<void>}
   */
  async write(begun) {
    this.abort.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.ids = begun ?? { session: "", run: "" };
    this.before = this.blocks.value;
    batch(() => {
      this.phase.value = "writing";
      this.problem.value = this.takenBack.value = null;
    });
    try {
      await this.#follow(signal);
      if (!signal.aborted) this.#end();
    } catch (error) {
      if (signal.aborted) return;
      this.#end(error);
      if (begun && /** @type {any} */ (error).code === "NOT_FOUND") await this.write();
    }
  }

  /** @param {unknown} [problem] */
  #end(problem) {
    storeDraft(this.#runDraft, "");
    batch(() => {
      if (problem && this.before.length) this.blocks.value = this.before;
      this.problem.value = problem ?? null;
      this.attempts.value = 0;
      this.phase.value = "done";
    });
    if (!problem) storeDraft(this.draft, this.markdown);
  }

  stop() {
    this.leave();
    if (this.ids.run) void cancelRun(this.ids.session, this.ids.run).catch(() => undefined);
    this.#end(new ApiProblem(200, "generation_cancelled", ""));
  }

  /** Where the ids of the run are kept while it writes. */
  get #runDraft() {
    return `${this.draft}.run`;
  }

  /** @param {AbortSignal} signal */
  async #follow(signal) {
    let text = "";
    let shown = ""; // What a connection repeats is there already.
    let attempt = 1;
    let repeated = 1;
    const begin = () => {
      text = "";
      repeated = 1;
    };
    const take = (/** @type {any} */ line) => {
      storeDraft(this.#runDraft, `${this.ids.session} ${this.ids.run}`);
      if (line.type === "error") throw new ApiProblem(200, line.error.code, line.error.message);
      if (line.phase === "restarted") {
        text = "";
        repeated += 1;
        if (repeated > attempt) {
          this.takenBack.value = { attempt: (attempt = repeated), text: shown };
          [shown, this.blocks.value] = ["", this.before];
        }
      }
      if (line.type === "embed_table") this.tables.set(line.table_id.toLowerCase(), line);
      if (line.type === "text_delta") text += line.content;
      const isWhole = line.type === "done";
      if (isWhole) text = line.full_text;
      if (text.length > shown.length || isWhole) this.blocks.value = splitBlocks((shown = text));
      return isWhole;
    };
    const onConnection = (/** @type {number} */ count) => (this.attempts.value = count);
    const stream = {
      path: WRITE,
      body: this.#describe(),
      key: newId(),
      run: this.ids,
      onBegin: begin,
      onLine: take,
      onConnection,
    };
    await followLines(stream, signal);
  }

  #describe() {
    const charts = [...this.charts].map(([chart_id, { result }]) => ({
      chart_id,
      ...result.refined_goal.chart,
      table_ref: result.content.virtual.table_name,
      code: result.code,
      chart_data: { rows: result.content.rows.slice(0, ROWS_SENT) },
    }));
    const names = new Set([...this.charts.values()].flatMap((chart) => chart.tables));
    return { user_prompt: this.question, charts, input_tables: [...names].map((name) => ({ name })) };
  }

  /** Replace a block; an empty text takes it away. @param {number} place @param {string} text */
  edit(place, text) {
    this.blocks.value = this.blocks.value.flatMap((block, each) => (each === place ? splitBlocks(text) : [block]));
    storeDraft(this.draft, this.markdown);
  }

  /** @param {string} text */
  add(text) {
    this.blocks.value = [...this.blocks.value, text];
  }

  /** Download the report as one document without scripts. */
  async download() {
    const charts = [...this.charts].map(([chart_id, { result }]) => ({ chart_id, vega_lite: result.vega_lite }));
    const response = await send("/api/agent/export-report", {
      method: "POST",
      headers: { "content-type": "application/json", "accept-language": pageData.language },
      body: JSON.stringify({ markdown: this.markdown, charts, title: this.question.slice(0, 500) }),
    });
    const type = response.headers.get("content-type") ?? "";
    if (!type.startsWith("text/html")) throw await readProblem(response);
    saveFile(await response.blob(), "report.html");
  }

  leave() {
    this.abort.abort();
  }
}
