// What came of a question: thinking folded, charts beside the code that made them, questions back.

import { html, useMemo } from "../../vendor/preact.js";
import { Code } from "../../kit/code.js";
import { Markdown, renderInline } from "../../kit/markdown.js";
import {
  ConnectionNotice,
  EndNotice,
  ModelNote,
  ProblemNotice,
  TakenBackNotice,
  WarningNotes,
} from "../../kit/problems.js";
import { Usage } from "../../kit/usage.js";
import { formatNumber, guessLanguage, t } from "../../kit/words.js";
import { removeBold } from "./analysis.js";
import { ChartPicture } from "./chart_picture.js";
import { RunAgain } from "./run_again.js";

/** @typedef {import("./analysis.js").Analysis} Analysis */

const NO_BREAK_SPACE = "\u00a0"; // A line that is kept for the question.
const SETTING = "YARROW_LLM_BASE_URL"; // Named by the summary where no model answered.

/** The heading of a chart is heard only where the page has it already, notes are left out that the summary tells. @param {{chart: any, asked: string, summary: string}} props */
function Chart({ chart, asked, summary }) {
  const { question, result } = chart;
  const notes = (result.notes ?? [])
    .map((/** @type {any} */ note) => (typeof note === "string" ? note : (note.message ?? note.text)))
    .filter((/** @type {string} */ note) => !summary.toLowerCase().includes(note.toLowerCase()));
  const { reduction } = result.content ?? {};
  const drawn = useMemo(() => ({ vega_lite: result.vega_lite }), [result]);
  return html`<figure class="card result">
    <figcaption class=${question === asked ? "unseen" : ""}><h2 dir="auto" lang=${guessLanguage(question)}>${renderInline(question)}</h2></figcaption>
    <div class="chart-grid">
      <div><${ChartPicture} drawn=${drawn} title=${removeBold(question)} /></div>
      <div class="made-by">
        <p class="label">${t("data.made_by")}</p>
        <pre tabindex="0"><${Code} text=${result.code} language=${result.code_language ?? ""} /></pre>
        ${result.code_signature && html`<${RunAgain} chart=${chart} />`}
        ${reduction && reduction.kind !== "none" && html`<p class="note">${t(reduction.kind === "sampled" ? "data.sampled" : "data.aggregated", { rows: formatNumber(reduction.filtered_rows ?? reduction.table_rows), shown: formatNumber(reduction.chart_rows) })}</p>`}
        ${notes.map((/** @type {string} */ note) => html`<p class="note" lang=${guessLanguage(note)}>${note}</p>`)}
      </div>
    </div>
  </figure>`;
}

/** Questions back: clicking an option answers. @param {{pause: any, onReply: (text: string, pause: any) => void}} props */
function Pause({ pause, onReply }) {
  const questions = pause.questions ?? [{ text: pause.message ?? pause.thought, options: pause.options }];
  return html`<section class="card pause" role="group" aria-label=${t("data.asks_back")}>
    ${questions.map(
      (/** @type {any} */ question) => html`<${Markdown} text=${question.text ?? ""} />
        <div class="row">${(question.options ?? []).map((/** @type {any} */ option) => html`<button type="button" class="chip" onClick=${() => onReply(option.label ?? option, pause)}>${option.label ?? option}</button>`)}</div>`,
    )}
  </section>`;
}

/** @param {{analysis: Analysis, onReply: (text: string, pause: any) => void, onRetry?: () => void, onReport: () => void}} props */
export function ResultView({ analysis, onReply, onRetry, onReport }) {
  analysis.version.value;
  const { state } = analysis;
  const isGoing = !analysis.isOver.value;
  const isAnswered = !analysis.problem.value && !state.pause; // What else came of it is an alert.
  const problem = analysis.problem.value;
  const isStopped = problem?.code === "STOPPED";
  return html`<section class="results" aria-busy=${isGoing}>
    <div class="row spread"><h1 class="question" dir="auto" lang=${analysis.title ? guessLanguage(analysis.title) : undefined}>${analysis.title || html`<span class="unseen">${t("nav.data")}</span>${NO_BREAK_SPACE}`}</h1>${isGoing && html`<button type="button" class="button" disabled=${!analysis.sessionId.value && !analysis.attempts.value} onClick=${(/** @type {MouseEvent} */ event) => event.detail < 2 && analysis.stop()}>${t("run.stop")}</button>`}</div>
    ${analysis.follows && html`<p class="note">${t("data.follows", { question: analysis.follows })}</p>`}
    <${ConnectionNotice} attempts=${analysis.attempts.value} />
    ${isGoing && html`<${TakenBackNotice} takenBack=${state.takenBack} />`}
    ${
      state.steps.length > 0 &&
      html`<details class="fold"><summary>${t("data.steps", { count: state.steps.length })}</summary>
        ${state.steps.map((step) => html`<div class="step">${step.title && html`<code>${step.title}</code>`}${step.kind === "thought" ? html`<p lang=${guessLanguage(step.text)}>${step.text}</p>` : html`<pre tabindex="0"><code>${step.text}</code></pre>`}</div>`)}
      </details>`
    }
    ${state.text && html`<div lang=${guessLanguage(state.text)}><${Markdown} text=${state.text} streaming=${isGoing} /></div>`}
    ${state.charts.map((chart, place) => html`<${Chart} key=${place} chart=${chart} asked=${analysis.title} summary=${state.summary} />`)}
    ${isGoing && !state.charts.length && html`<div class=${analysis.question ? "card" : "card result-shape"} aria-hidden="true"><span class="shape"></span><span class="shape"></span><span class="shape"></span></div>`}
    <${WarningNotes} warnings=${state.warnings} />
    ${state.summary && html`<p class="summary" lang=${guessLanguage(state.summary)}>${state.summary}</p>`}
    ${!isGoing && html`<${Usage} run=${analysis.run.value} />`}
    ${!isGoing && state.charts.length > 0 && html`<div class="row no-print"><button type="button" class="button primary" onClick=${onReport}>${t("data.report_write")}</button></div>`}
    ${state.pause && html`<${Pause} pause=${state.pause} onReply=${onReply} />`}
    ${problem && (analysis.ids.run ? html`<${EndNotice} state=${{ status: isStopped ? "cancelled" : "failed", error: problem }} onRetry=${onRetry} />` : html`<${ProblemNotice} problem=${problem} onRetry=${onRetry} />`)}
    ${!isGoing && !analysis.problem.value && !state.summary.includes(SETTING) && html`<${ModelNote} topic="data" />`}
    <p class="unseen" role="status">${isGoing ? t("run.working") : isAnswered ? t("chat.answered") : ""}</p>
  </section>`;
}
