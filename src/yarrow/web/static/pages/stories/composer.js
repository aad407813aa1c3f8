// Where one writes the next message; Enter sends, Shift+Enter breaks the line, arrows turn pages while it is empty.

import { html, useEffect, useRef } from "../../vendor/preact.js";
import { storeDraft } from "../../kit/drafts.js";
import { isSendKey, returnToField, takeFocus } from "../../kit/keys.js";
import { t } from "../../kit/words.js";

/** In an empty field. */
const PAGE_KEYS = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 });

/**
 * @param {object} props
 * @param {import("./story.js").Story} props.story
 * @param {import("../../vendor/preact.js").Signal<string>} props.text
 * @param {any} props.standing the floor that the message continues, if it is not the last one
 * @param {() => void} props.onLeave stand on the last floor again
 * @param {(text: string) => void} props.onSend
 * @param {(step: number) => void} props.onTurn show the reply before or after the shown one
 */
export function Composer({ story, text, standing, onLeave, onSend, onTurn }) {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const { isBusy } = story;
  const run = story.run.value;
  useEffect(() => takeFocus(field.current), [story]);
  const isReady = text.value.trim() !== "" && !isBusy;
  const sendText = () => {
    if (!isReady) return;
    onSend(text.value.trim());
    text.value = "";
    storeDraft(`story/${story.id}`, "");
  };
  /** @param {MouseEvent} event */
  const stop = (event) => {
    if (event.detail > 1) return;
    void run?.stop();
    returnToField(field.current); // The button is disabled now, and would lose the focus.
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const step = PAGE_KEYS[event.key];
    const isPlain = !(event.shiftKey || event.altKey || event.ctrlKey || event.metaKey);
    if (step && isPlain && !text.value && !isBusy) onTurn(step);
    if (!isSendKey(event)) return;
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
      ${isBusy ? html`<button type="button" class="button" disabled=${run?.stopping.value} onClick=${stop}>${t(run?.stopping.value ? "run.stopping" : "run.stop")}</button>` : html`<button class="button primary" disabled=${!isReady}>${t("chat.send")}</button>`}
    </div>
  </form>`;
}
