// A divination on the page: the board, the reading beside it, what can be done with them.

import { html, useEffect, useMemo, useSignal, signal } from "../../vendor/preact.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { limits } from "../../kit/page_data.js";
import {
  ConnectionNotice,
  EndNotice,
  ModelNote,
  ProblemNotice,
  TakenBackNotice,
  WarningNotes,
} from "../../kit/problems.js";
import { readText } from "../../kit/run_state.js";
import { Usage } from "../../kit/usage.js";
import { countCharacters, guessLanguage, t } from "../../kit/words.js";
import { Board } from "./board.js";
import { Figure } from "./coins.js";
import { savePng, saveSvg } from "./export.js";
import { ReadingText } from "./reading_text.js";

/**
 * @typedef {import("./session.js").DivinationSession} DivinationSession
 * @typedef {import("./session.js").Answer} Answer
 */

const LINE_MS = 420;

export const makePointing = () => ({ lines: signal(/** @type {number[]} */ ([])), line: signal(0) });

/** The shape of a board that is not there yet. */
export const BoardShape = () => html`<div class="board board-shape" aria-hidden="true">
  <span class="shape w40"></span><span class="shape w60"></span>
  ${[1, 2, 3, 4, 5, 6].map(() => html`<span class="shape line"></span>`)}
</div>`;

/** What was asked and cast, where no board comes of it. @param {{session: DivinationSession}} props */
const CastOnly = ({ session }) =>
  html`<div class="board"><h2 class="asked" dir="auto">${session.answers.value.at(-1)?.question}</h2><${Figure} lines=${session.castLines} /></div>`;

/** @param {{session: DivinationSession}} props */
function FollowUp({ session }) {
  const name = `follow.${session.threadId}`;
  const text = useSignal(readDraft(name));
  const length = countCharacters(text.value);
  const max = limits.question_characters;
  if (session.answered >= 2)
    return html`<p class="note no-print">${t("follow.none")} <a href="/liuyao">${t("follow.cast_again")}</a></p>`;
  if (!session.canFollowUp) return null;
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    const question = text.value.trim();
    if (!question || length > max) return;
    storeDraft(name, "");
    session.followUp(question);
  };
  /** @param {any} event */
  const change = (event) => {
    text.value = event.currentTarget.value;
    storeDraft(name, text.value);
  };
  return html`<form class="follow no-print" onSubmit=${submit}>
    <div class="row spread"><label class="label" for="follow">${t("follow.label")}</label><span class=${length > max ? "count over" : "count"}>${length} / ${max}</span></div>
    <div class="follow-row"><textarea id="follow" class="field" rows="1" dir="auto" placeholder=${t("follow.placeholder")} value=${text.value} onInput=${change}></textarea>
    <button class="button" disabled=${!text.value.trim() || length > max}>${t("follow.ask")}</button></div>
  </form>`;
}

/** @param {{session: DivinationSession, onReplay: () => void}} props */
function Tools({ session, onReplay }) {
  const problem = useSignal(/** @type {any} */ (null));
  const name = session.divination.value?.guaName ?? "board";
  /** @param {(id: string, name: string) => Promise<void>} keep */
  const run = (keep) => async () => {
    problem.value = null;
    await keep(session.threadId, name).catch((error) => (problem.value = error));
  };
  if (!session.answered) return null;
  return html`<div class="row tools no-print">
      <button type="button" class="button plain" onClick=${onReplay}>${t("tools.replay")}</button>
      <button type="button" class="button plain" onClick=${run(saveSvg)}>SVG</button>
      <button type="button" class="button plain" onClick=${run(savePng)}>PNG</button>
      <button type="button" class="button plain" onClick=${() => window.print()}>${t("tools.print")}</button>
    </div>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}`;
}

/** The turn that is running: what arrives, how the connection is, how it ended. @param {{session: DivinationSession, isFirst: boolean, pointing: any}} props */
function RunningAnswer({ session, isFirst, pointing }) {
  const run = session.run.value;
  if (!run) return null;
  run.version.value;
  const { state } = run;
  const text = readText(state);
  const part = state.parts.findLast((each) => each.kind === "text");
  const output = part?.kind === "text" ? part.output : null;
  const isGoing = !run.ended.value;
  const retry = session.canRetry && state.error?.code !== "AGENT_OTHER_MATTER" ? () => session.retry() : undefined;
  return html`<div class="running">
    <${ConnectionNotice} attempts=${run.attempts.value} />
    <${TakenBackNotice} takenBack=${state.takenBack} />
    ${text ? html`<${ReadingText} text=${text} streaming=${isGoing} output=${isFirst ? output : null} explained=${session.explained.value} pointing=${pointing} />` : isGoing && html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span><span class="shape w60"></span></div>`}
    <${WarningNotes} warnings=${state.warnings} />
    <${EndNotice} state=${state} onRetry=${retry} />
    ${run.problem.value && html`<${ProblemNotice} problem=${run.problem.value} onRetry=${retry} />`}
    ${isGoing && html`<div class="row no-print"><button type="button" class="button" disabled=${run.stopping.value} onClick=${(/** @type {MouseEvent} */ event) => event.detail < 2 && run.stop()}>${t(run.stopping.value ? "run.stopping" : "run.stop")}</button></div>`}
    <p class="unseen" role="status">${isGoing ? t("run.working") : ""}</p>
  </div>`;
}

/** Shows an answer again at a reading pace. @param {{answer: Answer, shown: number}} props */
function useReplayedText({ answer, shown }) {
  const length = useSignal(0);
  useEffect(() => {
    length.value = 0;
    if (shown < 7) return undefined;
    const timer = setInterval(() => (length.value += 3), 40);
    return () => clearInterval(timer);
  }, [shown < 7, answer.text]);
  return answer.text.slice(0, length.value);
}

/** @param {{session: DivinationSession, answer: Answer, shown: number, pointing: any, isBrief: boolean}} props */
function FirstAnswer({ session, answer, shown, pointing, isBrief }) {
  const replayed = useReplayedText({ answer, shown });
  const isReplaying = shown <= 7;
  const isTold = !isReplaying || replayed.length >= answer.text.length;
  const text = isReplaying ? replayed : answer.text;
  return html`<${ReadingText} text=${text} streaming=${!isTold} output=${isTold ? (isBrief ? cutOutput(answer.output) : answer.output) : null} explained=${session.explained.value} pointing=${pointing} />`;
}

/** What a short view shows of an answer beside its text. @param {any} output */
const cutOutput = (output) => output && { sign_level: output.sign_level, keywords: output.keywords };

/** Sentences and the follow-up are left to the page of the divination if it is brief. @param {{session: DivinationSession, isBrief?: boolean}} props */
export function DivinationView({ session, isBrief = false }) {
  const pointing = useMemo(makePointing, [session]);
  const shown = useSignal(8); // 1 to 6 while lines appear, 7 while the text does, 8 for all of it
  const timer = useMemo(() => ({ id: 0 }), []);
  useEffect(() => () => clearInterval(timer.id), []);
  const replay = () => {
    clearInterval(timer.id);
    shown.value = 0;
    timer.id = window.setInterval(() => {
      shown.value += 1;
      if (shown.value >= 7) clearInterval(timer.id);
    }, LINE_MS);
  };
  const answers = session.answers.value;
  const divination = session.divination.value;
  const [first, second] = answers;
  const isFirstRunning = Boolean(session.run.value) && answers.length === 1;
  return html`<div class="divination">
    <div class="board-side">
      ${divination ? html`<div class=${isFirstRunning ? "arriving" : ""}><${Board} divination=${divination} pointing=${pointing} shown=${Math.min(shown.value, 6)} /></div>` : session.run.value?.ended.value ? html`<${CastOnly} session=${session} />` : html`<${BoardShape} />`}
      <${Tools} session=${session} onReplay=${replay} />
    </div>
    <div class="reading-side">
      ${first && !isFirstRunning && html`<${FirstAnswer} session=${session} answer=${first} shown=${shown.value} pointing=${pointing} isBrief=${isBrief} />`}
      ${first?.text && shown.value > 7 && html`<${WarningNotes} warnings=${first.warnings} /><${Usage} run=${session.answerRuns.value[0]} />`}
      ${isFirstRunning && html`<${RunningAnswer} session=${session} isFirst=${!isBrief} pointing=${pointing} />`}
      ${(first?.text || isFirstRunning) && html`<${ModelNote} topic="reading" />`}
      ${
        second &&
        html`<section class="second"><p class="asked-again" dir="auto" lang=${guessLanguage(second.question)}>${second.question}</p>
        ${second.text ? html`<p class="answer" dir="auto" lang=${guessLanguage(second.text)}>${second.text}</p><${WarningNotes} warnings=${second.warnings} /><${Usage} run=${session.answerRuns.value[1]} />` : html`<${RunningAnswer} session=${session} isFirst=${false} pointing=${pointing} />`}</section>`
      }
      ${!isBrief && html`<${FollowUp} session=${session} />`}
    </div>
  </div>`;
}
