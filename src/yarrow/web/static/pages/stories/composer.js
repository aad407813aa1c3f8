// Where one writes the next message; Enter sends, Shift+Enter breaks the line.

import { html, useEffect, useRef } from "../../vendor/preact.js";
import { storeDraft } from "../../kit/drafts.js";
import { t } from "../../kit/words.js";

/**
 * @param {object} props
 * @param {import("./story.js").Story} props.story
 * @param {import("../../vendor/preact.js").Signal<string>} props.text
 * @param {any} props.standing the floor that the message continues, if it is not the last one
 * @param {() => void} props.onLeave stand on the last floor again
 * @param {(text: string) => void} props.onSend
 */
export function Composer({ story, text, standing, onLeave, onSend }) {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const { isBusy } = story;
  const run = story.run.value;
  useEffect(() => field.current?.focus({ preventScroll: true }), [story]);
  const isReady = text.value.trim() !== "" && !isBusy;
  const sendText = () => {
    if (!isReady) return;
    onSend(text.value.trim());
    text.value = "";
    storeDraft(`story/${story.id}`, "");
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    sendText();
  };
  /** @param {any} event */
  const change = (event) => {
    text.value = event.currentTarget.value;
    storeDraft(`story/${story.id}`, text.value);
  };
  return html`<form class="composer" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), sendText())}>
    ${standing && html`<p class="standing"><span>${t("stories.standing", { number: standing.floor_no })}</span><button type="button" class="button plain" onClick=${onLeave}>${t("stories.leave_floor")}</button></p>`}
    <div class="composer-row">
      <textarea ref=${field} id="message" class="field" rows="1" dir="auto" aria-label=${t("stories.message")} placeholder=${t("stories.message")} value=${text.value} onInput=${change} onKeyDown=${press}></textarea>
      ${isBusy ? html`<button type="button" class="button" disabled=${run?.stopping.value} onClick=${(/** @type {MouseEvent} */ event) => event.detail < 2 && run?.stop()}>${t(run?.stopping.value ? "run.stopping" : "run.stop")}</button>` : html`<button class="button primary" disabled=${!isReady}>${t("chat.send")}</button>`}
    </div>
  </form>`;
}
