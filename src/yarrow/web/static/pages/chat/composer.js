// Where one writes: text, pictures by button, drop and paste; Enter sends, Shift+Enter breaks the line.

import { html, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { isSendKey, returnToField, takeFocus } from "../../kit/keys.js";
import { limits } from "../../kit/page_data.js";
import { ProblemNotice } from "../../kit/problems.js";
import { countCharacters, formatMegabytes, formatNumber, t } from "../../kit/words.js";
import { VoiceButton } from "./voice_button.js";

/** @typedef {import("./conversation.js").Conversation} Conversation */

/** Characters beyond what a message may have. @param {string} text */
const countOver = (text) =>
  text.length > limits.message_characters ? Math.max(countCharacters(text.trim()) - limits.message_characters, 0) : 0;

/** @param {File} file @returns {string} why it cannot be sent, or empty */
function refuse(file) {
  if (!file.type.startsWith("image/")) return t("chat.not_picture", { name: file.name });
  if (file.size === 0) return t("chat.empty_picture", { name: file.name });
  const max = limits.picture_bytes;
  return file.size > max ? t("chat.large_picture", { name: file.name, max: formatMegabytes(max) }) : "";
}

const DRAWN = /^image\/(png|jpeg|gif|webp|bmp)$/; // What every browser draws.

/** Whether a picture is damaged, as far as the browser can tell. @param {File} file */
const isDamaged = (file) =>
  DRAWN.test(file.type) &&
  createImageBitmap(file).then(
    (bitmap) => bitmap.close(),
    () => true,
  );

/** @param {Conversation} conversation */
function usePictures(conversation) {
  const pictures = useSignal(/** @type {{url: string, mimeType: string}[]} */ ([]));
  const problem = useSignal(/** @type {any} */ (null));
  /** @param {Iterable<File>} files */
  const add = async (files) => {
    problem.value = null;
    for (const file of files) {
      const reason = refuse(file);
      if (reason || pictures.value.length >= limits.message_pictures) {
        problem.value = { code: "FILE", message: reason || t("chat.many_pictures", { max: limits.message_pictures }) };
        return;
      }
      if (await isDamaged(file)) {
        problem.value = { code: "AGENT_ATTACHMENT_UNSUPPORTED_TYPE", message: file.name };
        return;
      }
      try {
        pictures.value = [...pictures.value, await conversation.upload(file)];
      } catch (error) {
        problem.value = error;
      }
    }
  };
  return { pictures, problem, add };
}

/** @param {{conversation: Conversation, onSent: () => void}} props */
export function Composer({ conversation, onSent }) {
  const text = useSignal(readDraft(conversation.draftName));
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const { pictures, problem, add } = usePictures(conversation);
  const isBusy = conversation.isBusy;
  const run = conversation.run.value;
  useEffect(() => takeFocus(field.current), [conversation]);
  const over = countOver(text.value);
  const isReady = text.value.trim() !== "" && !isBusy && !over;
  const sendText = () => {
    if (!isReady) return;
    conversation.ask(text.value.trim(), pictures.value);
    text.value = "";
    pictures.value = [];
    storeDraft(conversation.draftName, "");
    onSent();
  };
  /** @param {MouseEvent} event */
  const stop = (event) => {
    if (event.detail > 1) return;
    void run?.stop();
    returnToField(field.current); // The button is disabled now, and would lose the focus.
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    sendText();
  };
  /** @param {string} written */
  const write = (written) => {
    text.value = written;
    storeDraft(conversation.draftName, written);
  };
  /** @param {string} spoken */
  const addSpoken = (spoken) => {
    write([text.value.trim(), spoken].filter(Boolean).join(" "));
    field.current?.focus();
  };
  /** @param {any} event */
  const drop = (event) => {
    const files = [...(event.dataTransfer ?? event.clipboardData).files];
    if (!files.length) return;
    event.preventDefault();
    void add(files);
  };
  return html`<form class="composer" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), sendText())} onDrop=${drop} onDragOver=${(/** @type {Event} */ event) => event.preventDefault()}>
    ${problem.value && (problem.value.code === "FILE" ? html`<div class="notice" role="alert"><p>${problem.value.message}</p></div>` : html`<${ProblemNotice} problem=${problem.value} />`)}
    ${pictures.value.length > 0 && html`<div class="row thumbs">${pictures.value.map((picture) => html`<button type="button" class="thumb" aria-label=${t("chat.remove_picture")} onClick=${() => (pictures.value = pictures.value.filter((each) => each !== picture))}><img src=${picture.url} alt="" /></button>`)}</div>`}
    ${over > 0 && html`<p class="count over" role="alert">${t("cast.too_long", { over: formatNumber(over) })}</p>`}
    <div class="composer-row">
      <label class="icon" title=${t("chat.add_picture")}><span class="unseen">${t("chat.add_picture")}</span><input type="file" accept="image/*" multiple onChange=${(/** @type {any} */ event) => (void add([...event.currentTarget.files]), (event.currentTarget.value = ""))} /><svg viewBox="0 0 24 24" aria-hidden="true"><rect x="3.5" y="5" width="17" height="14" rx="2" /><circle cx="9" cy="10" r="1.6" /><path d="M4 17l5-4.5 4 3.5 3-2.5 4 3.5" /></svg></label>
      <textarea ref=${field} id="message" class="field" rows="1" dir="auto" aria-label=${t("chat.message")} placeholder=${t("chat.message")} value=${text.value} onInput=${(/** @type {any} */ event) => write(event.currentTarget.value)} onKeyDown=${press} onPaste=${drop}></textarea>
      <${VoiceButton} onText=${addSpoken} onProblem=${(/** @type {any} */ found) => (problem.value = found)} />
      ${isBusy ? html`<button type="button" class="button" disabled=${run?.stopping.value} onClick=${stop}>${t(run?.stopping.value ? "run.stopping" : "run.stop")}</button>` : html`<button class="button primary" disabled=${!isReady}>${t("chat.send")}</button>`}
    </div>
  </form>`;
}
