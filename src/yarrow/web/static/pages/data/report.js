// A report about the charts of a question: it streams in, then it is the reader's to change.

import { batch, signal } from "../../vendor/preact.js";
import { ApiProblem, readProblem, send } from "../../kit/api.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { splitBlocks } from "../../kit/markdown.js";
import { pageData } from "../../kit/page_data.js";
import { saveFile } from "../../kit/save_file.js";
import { postForLines } from "./tables_api.js";

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
    this.abort = new AbortController();
  }

  get markdown() {
    return this.blocks.value.join("\n\n");
  }

  /** Write it, unless it was written in this tab before. */
  open() {
    if (this.phase.value === "writing") void this.write();
  }

  /** Write it; the blocks before stay until the new text begins, and come back if it fails. */
  async write() {
    this.abort.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    batch(() => {
      this.phase.value = "writing";
      this.problem.value = null;
    });
    const before = this.blocks.value;
    let text = "";
    let isWhole = false;
    try {
      for await (const line of postForLines(WRITE, this.#describe(), signal)) {
        if (line.type === "error") throw new ApiProblem(200, line.error.code, line.error.message);
        if (line.type === "embed_table") this.tables.set(line.table_id.toLowerCase(), line);
        if (line.type === "text_delta") text += line.content;
        if (line.type === "done") [text, isWhole] = [line.full_text, true];
        if (text) this.blocks.value = splitBlocks(text);
      }
      if (!isWhole) throw new ApiProblem(0, "NETWORK", "The stream ended before the report was whole.");
      storeDraft(this.draft, this.markdown);
    } catch (error) {
      if (signal.aborted) return;
      batch(() => {
        this.problem.value = error;
        if (before.length) this.blocks.value = before;
      });
    }
    this.phase.value = "done";
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
