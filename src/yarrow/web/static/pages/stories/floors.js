// The floors of a story: what was said, the pages of a reply, and what can be done with a turn.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { send } from "../../kit/api.js";
import { CopyButton } from "../../kit/copy_button.js";
import { EditForm, useEditing } from "../../kit/edit_form.js";
import { IconButton } from "../../kit/icons.js";
import { clickOnce } from "../../kit/keys.js";
import { Markdown } from "../../kit/markdown.js";
import { ConnectionNotice, ModelNote, ProblemNotice, TakenBackNotice, describeProblem } from "../../kit/problems.js";
import { hasAccounts } from "../../kit/page_data.js";
import { Usage } from "../../kit/usage.js";
import { formatNumber, guessLanguage, t } from "../../kit/words.js";
import { TurnDeletion } from "./turn_deletion.js";
import { listPages, nameEdit, readMessage } from "./story.js";

/**
 * @typedef {import("./story.js").Story} Story
 * @typedef {object} FloorActions
 * @property {string} chosen the floor one stands on, or empty
 * @property {(changes: Record<string, string>) => void} show change the address
 * @property {(work: Promise<any>) => void} act do something, and go to the branch it names
 */

const SHOWN = 60; // Floors at first; earlier ones on request,
const SHOWN_MAX = 260; // and never more at once.

/** The picture of a character, fetched with the token; its first letter where there is none. @param {{id: string, name: string}} props */
export function Portrait({ id, name }) {
  const address = useSignal("");
  useEffect(() => {
    let made = "";
    address.value = "";
    if (id)
      send(`/characters/${id}/picture?optional=true`)
        .then((response) => (response.status === 200 ? response.blob() : null))
        .then((blob) => {
          if (blob) address.value = made = URL.createObjectURL(blob);
        })
        .catch(() => undefined);
    return () => URL.revokeObjectURL(made);
  }, [id]);
  return address.value
    ? html`<img class="portrait" src=${address.value} alt="" />`
    : html`<span class="portrait letter" aria-hidden="true">${[...(name || "?")][0]}</span>`;
}

/** @param {{story: Story, message: any, isBusy: boolean, actions: FloorActions}} props */
function UserMessage({ story, message, isBusy, actions }) {
  const { isEditing, tools } = useEditing();
  const leave = () => (isEditing.value = false);
  const save = (/** @type {string} */ text) => actions.act(story.edit(message, text));
  if (isEditing.value)
    return html`<${EditForm} draft=${nameEdit(message)} text=${message.content} note=${t("stories.edit_note")} send=${t("stories.edit_send")} disabled=${isBusy} onDone=${leave} onSave=${save} />`;
  return html`<div class=${`mine ${message.is_hidden ? "left-out" : ""}`}>
    <p dir="auto" lang=${guessLanguage(message.content)}>${message.content}</p>
    ${message.is_hidden && html`<small>${t("stories.hidden")}</small>`}
    <div ref=${tools} class="mine-tools"><${IconButton} name="edit" label=${t("edit.open")} disabled=${isBusy} onClick=${() => (isEditing.value = true)} /><${IconButton} name=${message.is_hidden ? "show" : "hide"} label=${t(message.is_hidden ? "stories.unhide" : "stories.hide")} onClick=${() => actions.act(story.hide(message))} /></div>
  </div>`;
}

/** @param {{story: Story, floor: any, isBusy: boolean, actions: FloorActions}} props */
function Pages({ story, floor, isBusy, actions }) {
  const pages = listPages(floor);
  const place = pages.findIndex((page) => page.is_active);
  const canAdd = Boolean(readMessage(floor, "user"));
  if (pages.length < 2 && !canAdd) return null;
  const isEnd = place >= pages.length - 1;
  return html`<div class="pages-of" role="group" aria-label=${t("stories.pages")}>
    <${IconButton} name="left" label=${t("stories.page_before")} disabled=${isBusy || place <= 0} onClick=${() => actions.act(story.turnPage(floor, -1))} />
    <span aria-live="polite">${t("stories.page_of", { page: place + 1, pages: pages.length })}</span>
    <${IconButton} name="right" label=${t(isEnd ? "stories.page_new" : "stories.page_after")} disabled=${isBusy || (isEnd && !canAdd)} onClick=${() => actions.act(story.turnPage(floor, 1))} />
  </div>`;
}

/** The tokens of a turn whose run is not among the newest. @param {{floor: any}} props */
const Tokens = ({ floor }) =>
  floor.token_in + floor.token_out > 0 &&
  html`<p class="usage">${t("chat.tokens", { tokens: formatNumber(floor.token_in + floor.token_out) })}</p>`;

/** @param {{story: Story, message: any, number: number}} props */
function Reply({ story, message, number }) {
  return html`<div class=${`reply ${message.is_hidden ? "left-out" : ""}`}>
    <p class="speaker"><span dir="auto">${message.name || story.names.value.character || t("stories.narrator")}</span><span class="floor-number">${number}</span>${message.is_hidden && html`<small>${t("stories.hidden")}</small>`}</p>
    <div lang=${guessLanguage(message.content)}><${Markdown} text=${message.content} /></div>
  </div>`;
}

/** @param {{story: Story, floor: any, reply: any, isLast: boolean, actions: FloorActions, editing: ReturnType<typeof useEditing>}} props */
function FloorTools({ story, floor, reply, isLast, actions, editing: { isEditing, tools } }) {
  const { isBusy } = story;
  const isTurn = Boolean(readMessage(floor, "user"));
  const run = reply && story.runs.value.get(reply.id);
  return html`<div class="floor-tools">
    <${Pages} story=${story} floor=${floor} isBusy=${isBusy} actions=${actions} />
    ${isLast && isTurn && html`<${IconButton} name="again" label=${t("stories.regenerate")} disabled=${isBusy} onClick=${() => actions.act(story.regenerate())} />`}
    ${reply && html`<span ref=${tools}><${IconButton} name="edit" label=${t("stories.rewrite")} disabled=${isBusy} onClick=${() => (isEditing.value = true)} /></span>`}
    ${reply && html`<${IconButton} name=${reply.is_hidden ? "show" : "hide"} label=${t(reply.is_hidden ? "stories.unhide" : "stories.hide")} onClick=${() => actions.act(story.hide(reply))} />`}
    ${reply && html`<${CopyButton} text=${() => reply.content} />`}
    <${IconButton} name="branch" label=${t("stories.branch_here")} onClick=${clickOnce(() => actions.act(story.fork(floor.id)))} />
    <${IconButton} name="state" label=${t("stories.stand_here")} pressed=${actions.chosen === floor.id} onClick=${() => actions.show({ floor: floor.id, panel: "state" })} />
    ${isTurn && html`<${IconButton} name="prompt" label=${t("stories.show_prompt")} onClick=${() => actions.show({ floor: floor.id, panel: "prompt" })} />`}
    ${isLast && isTurn && html`<${TurnDeletion} isBusy=${isBusy} onDelete=${() => actions.act(story.deleteTurn(floor))} />`}
    ${run ? html`<${Usage} run=${run} />` : html`<${Tokens} floor=${floor} />`}
  </div>`;
}

/** @param {{story: Story, floor: any, isLast: boolean, actions: FloorActions}} props */
function Floor({ story, floor, isLast, actions }) {
  const isChosen = actions.chosen === floor.id;
  const editing = useEditing();
  const reply = readMessage(floor, "assistant");
  const leave = () => (editing.isEditing.value = false);
  const save = (/** @type {string} */ text) => actions.act(story.rewrite(reply, text));
  return html`<article id=${`floor-${floor.id}`} class=${`floor ${isChosen ? "chosen" : ""}`} aria-label=${t("stories.floor", { number: floor.floor_no })}>
    ${floor.messages.map((/** @type {any} */ message) => {
      if (message.role === "user")
        return html`<${UserMessage} key=${message.id} story=${story} message=${message} isBusy=${story.isBusy} actions=${actions} />`;
      if (editing.isEditing.value && message === reply)
        return html`<${EditForm} key=${message.id} draft=${nameEdit(message)} text=${message.content} note=${t("stories.rewrite_note")} send=${t("stories.rewrite_save")} disabled=${story.isBusy} onDone=${leave} onSave=${save} />`;
      return html`<${Reply} key=${message.id} story=${story} message=${message} number=${floor.floor_no} />`;
    })}
    <${FloorTools} story=${story} floor=${floor} reply=${reply} isLast=${isLast} actions=${actions} editing=${editing} />
  </article>`;
}

/** The turn that is being written. @param {{story: Story, onRetry: () => void}} props */
function Running({ story, onRetry }) {
  const run = story.run.value;
  if (!run) return null;
  run.version.value;
  const isGoing = !run.ended.value;
  const isWaiting = isGoing && !run.text;
  const isTurn = Boolean(run.request) || !["", "retry_turn"].includes(run.type.value); // Else the message has its place.
  return html`<article class="floor" aria-busy=${isGoing}>
    ${story.pending.value && isTurn && html`<div class="mine"><p dir="auto" lang=${guessLanguage(story.pending.value)}>${story.pending.value}</p></div>`}
    <${ConnectionNotice} attempts=${isGoing ? run.attempts.value : 0} />
    <${TakenBackNotice} takenBack=${run.takenBack} />
    ${
      !run.problem.value &&
      html`<div class="reply"><p class="speaker"><span dir="auto">${story.names.value.character || t("stories.narrator")}</span></p>
      ${isWaiting ? html`<div aria-hidden="true"><span class="shape"></span><span class="shape w60"></span></div>` : html`<div lang=${guessLanguage(run.text)}><${Markdown} text=${run.text} streaming=${isGoing} /></div>`}</div>`
    }
    ${run.error && html`<div class="notice" role="alert"><p><strong>${describeProblem(run.error)}</strong>${hasAccounts && t("run.not_charged")}</p><button type="button" class="button" onClick=${onRetry}>${t("run.retry")}</button></div>`}
    ${run.problem.value && html`<${ProblemNotice} problem=${run.problem.value} onRetry=${onRetry} />`}
  </article>`;
}

/** @param {{story: Story, actions: FloorActions}} props */
export function FloorList({ story, actions }) {
  const count = useSignal(SHOWN);
  const run = story.run.value;
  const all = run ? hideRewritten(story.floors.value, run) : story.floors.value;
  const chosenPlace = all.findIndex((floor) => floor.id === actions.chosen);
  const first = Math.max(0, Math.min(all.length - count.value, chosenPlace < 0 ? all.length : chosenPlace - 2));
  const end = Math.min(all.length, first + SHOWN_MAX);
  const toNewest = () => {
    count.value = SHOWN;
    actions.show({ floor: "" });
  };
  const retry = () => run && actions.act(story.startAgain(run));
  return html`<div class="floors">
    ${first > 0 && html`<button type="button" class="button" onClick=${() => (count.value += 200)}>${t("stories.earlier", { count: formatNumber(first) })}</button>`}
    ${all.slice(first, end).map((floor, place) => html`<${Floor} key=${floor.id} story=${story} floor=${floor} isLast=${first + place === all.length - 1} actions=${actions} />`)}
    ${end < all.length && html`<button type="button" class="button" onClick=${toNewest}>${t("chat.to_end")}</button>`}
    <${Running} story=${story} onRetry=${retry} />
    <${ModelNote} topic="stories" />
    <p class="unseen" role="status">${story.isBusy ? t("run.working") : ""}</p>
  </div>`;
}

/** While a reply is written again, the old one is not shown beside it. @param {any[]} floors @param {import("./story_run.js").StoryRun} run */
function hideRewritten(floors, run) {
  if (run.ended.value && !run.result) return floors;
  const kind = run.request?.kind ?? run.type.value;
  if (kind === "regenerate_page") return floors.slice(0, -1);
  const floorId = run.request ? run.request.floorId : run.floorId.value;
  const place = floors.findIndex((floor) => floor.id === floorId);
  if (place < 0 || kind === "") return floors;
  if (kind !== "retry" && kind !== "retry_turn") return floors.slice(0, place);
  const old = readMessage(floors[place], "assistant");
  const messages = floors[place].messages.filter((/** @type {any} */ each) => each !== old);
  return floors.with(place, { ...floors[place], messages, pages: [] });
}
