// Messages: the user's words, answers part by part, tool calls folded, what each turn used.

import { html, useEffect, useMemo, useRef, useSignal } from "../../vendor/preact.js";
import { Card } from "../../kit/card.js";
import { Code } from "../../kit/code.js";
import { CopyButton } from "../../kit/copy_button.js";
import { EditForm, useEditing } from "../../kit/edit_form.js";
import { IconButton } from "../../kit/icons.js";
import { Markdown } from "../../kit/markdown.js";
import {
  ConnectionNotice,
  EndNotice,
  ModelNote,
  ProblemNotice,
  TakenBackNotice,
  WarningNotes,
} from "../../kit/problems.js";
import { ReadAloudButton } from "../../kit/read_aloud.js";
import { Usage, indexByAnswer } from "../../kit/usage.js";
import { formatNumber, guessLanguage, t } from "../../kit/words.js";

/**
 * @typedef {import("./conversation.js").Conversation} Conversation
 * @typedef {import("./conversation.js").ChatItem} ChatItem
 */

const SHOWN = 100; // Messages at first; earlier ones on request,
const SHOWN_MAX = 500; // and never more at once: thousands would be laid out with each change.
const STRETCH = 20; // Messages that are laid out together: the browser checks each stretch when one scrolls.

/** @param {string} text */
function indent(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @param {{name: string, args?: string, result?: string, going?: boolean}} props */
function ToolCall({ name, args = "", result, going = false }) {
  return html`<details class="fold">
    <summary><code>${name}</code> <span class="quiet">${t(going ? "chat.tool_running" : "chat.tool_done")}</span></summary>
    ${args && html`<p class="label">${t("chat.arguments")}</p><pre tabindex="0"><${Code} text=${indent(args)} language="json" /></pre>`}
    ${result !== undefined && html`<p class="label">${t("chat.result")}</p><pre tabindex="0"><${Code} text=${indent(result)} language="json" /></pre>`}
  </details>`;
}

/** @param {{parts: import("../../kit/run_state.js").Part[], streaming: boolean, onSend?: (text: string) => void}} props */
function Parts({ parts, streaming, onSend }) {
  return html`${parts.map((part, place) => {
    switch (part.kind) {
      case "text":
        return html`<div key=${part.id} lang=${guessLanguage(part.text)}><${Markdown} text=${part.text} streaming=${streaming && place === parts.length - 1} /></div>`;
      case "reasoning":
        return html`<details key=${part.id} class="fold"><summary>${t(part.done ? "chat.thought" : "chat.thinking")}</summary><${Markdown} text=${part.text} /></details>`;
      case "tool":
        return html`<${ToolCall} key=${part.id} name=${part.name} args=${part.text} result=${part.result} going=${!part.done} />`;
      case "card":
        return html`<${Card} key=${part.id} schema=${part.schema} onSend=${onSend} />`;
    }
  })}`;
}

/** @param {{item: ChatItem, isAnswered: boolean, onEdit?: (item: ChatItem, text: string) => void}} props */
function Question({ item, isAnswered, onEdit }) {
  const { isEditing, tools } = useEditing();
  if (isEditing.value)
    return html`<${EditForm} draft=${item.draft ?? ""} text=${item.text} note=${t("chat.edit_note")} send=${t("chat.send")} disabled=${!onEdit} onDone=${() => (isEditing.value = false)} onSave=${(/** @type {string} */ text) => onEdit?.(item, text.trim())} />`;
  return html`<article class="mine" aria-label=${t("chat.you")}>
    ${(item.pictures ?? []).map(({ url }) => html`<img src=${url} alt=${t("chat.picture")} />`)}
    <p dir="auto" lang=${guessLanguage(item.text)}>${item.text}</p>
    ${!isAnswered && html`<p class="note">${t("chat.unanswered")}</p>`}
    <div ref=${tools} class="mine-tools"><${IconButton} name="edit" label=${t("edit.open")} disabled=${!onEdit} onClick=${() => (isEditing.value = true)} /></div>
  </article>`;
}

/** @param {{item: ChatItem, isAnswered: boolean, run?: any, onEdit?: (item: ChatItem, text: string) => void, onSend?: (text: string) => void, onAgain?: () => void}} props */
function Item({ item, isAnswered, run, onEdit, onSend, onAgain }) {
  const shown = useRef(/** @type {Element | null} */ (null));
  if (item.role === "user") return html`<${Question} item=${item} isAnswered=${isAnswered} onEdit=${onEdit} />`;
  if (item.role === "tool")
    return html`<div class="theirs"><${ToolCall} name=${item.tool ?? ""} args=${item.args} result=${item.text} />${item.card && html`<${Card} schema=${item.card} onSend=${onSend} />`}</div>`;
  return html`<article ref=${shown} class="theirs" aria-label=${t("chat.assistant")}>
    ${item.parts ? html`<${Parts} parts=${item.parts} streaming=${false} onSend=${onSend} />` : html`<div lang=${guessLanguage(item.text)}><${Markdown} text=${item.text} /></div>${item.card && html`<${Card} schema=${item.card} onSend=${onSend} />`}`}
    <${WarningNotes} warnings=${item.warnings ?? []} />
    <div class="row answer-foot"><${Usage} run=${run} />${onAgain && html`<button type="button" class="button plain" onClick=${onAgain}>${t("chat.again")}</button>`}<${CopyButton} text=${() => readAnswer(item)} /><${ReadAloudButton} text=${readAnswer(item)} element=${() => shown.current} /></div>
  </article>`;
}

/** The words of an answer, without tool calls and thoughts. @param {ChatItem} item */
const readAnswer = ({ text, parts }) =>
  parts ? parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n") : text;

/** @param {{conversation: Conversation}} props */
function Running({ conversation }) {
  const run = conversation.run.value;
  if (!run) return null;
  run.version.value;
  const { state } = run;
  const isGoing = !run.ended.value;
  const retry = () => conversation.retry();
  return html`<article class="theirs" aria-label=${t("chat.assistant")} aria-busy=${isGoing}>
    <${ConnectionNotice} attempts=${run.attempts.value} />
    <${TakenBackNotice} takenBack=${state.takenBack} />
    <${Parts} parts=${state.parts} streaming=${isGoing} />
    ${isGoing && !state.parts.length && html`<div aria-hidden="true"><span class="shape"></span><span class="shape w60"></span></div>`}
    ${state.progress && isGoing && html`<p class="note">${state.progress}</p>`}
    <${WarningNotes} warnings=${state.warnings} />
    <${EndNotice} state=${state} onRetry=${retry} />
    ${run.problem.value && html`<${ProblemNotice} problem=${run.problem.value} onRetry=${retry} />`}
  </article>`;
}

/**
 * The run of each answer: known by its own id while it is new, later by the id of the stored answer.
 * @param {any[]} runs @param {ChatItem[]} items
 */
function matchRuns(runs, items) {
  const succeeded = runs.filter((run) => run.status === "succeeded");
  const byId = new Map(succeeded.map((run) => [run.run_id, run]));
  const byAnswer = indexByAnswer(runs);
  return new Map(items.map((item) => [item.id, byId.get(item.runId) ?? byAnswer.get(item.id)]));
}

/**
 * Messages in stretches. Their bounds do not depend on the first message shown, so earlier ones leave the others as they are.
 * @param {any[]} messages @param {number} first the place of the first of them in the conversation
 */
function groupStretches(messages, first) {
  const stretches = [];
  for (let start = 0, end; start < messages.length; start = end) {
    end = start + STRETCH - ((first + start) % STRETCH);
    stretches.push(
      html`<div key=${Math.floor((first + start) / STRETCH)} class="stretch">${messages.slice(start, end)}</div>`,
    );
  }
  return stretches;
}

/** @param {{conversation: Conversation, onSend: (text: string) => void}} props */
export function MessageList({ conversation, onSend }) {
  const items = conversation.items.value;
  const runs = conversation.runs.value;
  const standing = conversation.standing;
  const repeated = conversation.repeated.value;
  const isBusy = conversation.isBusy;
  const hasRun = Boolean(conversation.run.value);
  const count = useSignal(SHOWN);
  const first = Math.max(0, items.length - count.value);
  const isPast = count.value > SHOWN_MAX; // The window has left the end.
  useEffect(() => {
    if (isBusy && isPast) count.value = SHOWN; // One's own question is at the end.
  }, [isBusy]);
  const shown = useMemo(() => {
    const end = Math.min(standing.length, first + SHOWN_MAX);
    const used = matchRuns(runs, items);
    const canSend = isBusy ? undefined : onSend;
    const answerAgain = hasRun ? undefined : () => conversation.answerAgain();
    const onEdit = isBusy
      ? undefined
      : (/** @type {ChatItem} */ item, /** @type {string} */ text) => conversation.edit(item, text);
    const messages = standing
      .slice(first, end)
      .map(
        (item, place) =>
          html`<${Item} key=${item.id} item=${item} isAnswered=${items[first + place + 1]?.role !== "user"} run=${item.role === "assistant" ? used.get(item.id) : undefined} onEdit=${onEdit} onSend=${first + place >= items.length - 3 ? canSend : undefined} onAgain=${first + place === items.length - 1 ? answerAgain : undefined} />`,
      );
    return groupStretches(messages, first);
  }, [items, runs, repeated, isBusy, hasRun, first]);
  return html`<div class="messages">
    ${first > 0 && html`<button type="button" class="button earlier" onClick=${() => (count.value += 4 * SHOWN)}>${t("chat.earlier", { count: formatNumber(first) })}</button>`}
    ${shown}
    ${isPast && html`<button type="button" class="button earlier" onClick=${() => (count.value = SHOWN)}>${t("chat.to_end")}</button>`}
    <${Running} conversation=${conversation} />
    ${items.length > 0 && html`<${ModelNote} topic="chat" />`}
    <p class="unseen" role="status">${isBusy ? t("run.working") : items.length && !hasRun ? t("chat.answered") : ""}</p>
  </div>`;
}
