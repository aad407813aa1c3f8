// A message in a field of its own, to send it in other words.

import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";
import { readDraft, storeDraft } from "./drafts.js";
import { isCloseKey } from "./keys.js";
import { t } from "./words.js";

/**
 * What was typed is kept as a draft until it is cancelled; who sends it forgets it once it is stored.
 * @param {{draft: string, text: string, note: string, send: string, disabled: boolean, onDone: () => void, onSave: (text: string) => void}} props
 */
export function EditForm({ draft, text: before, note, send, disabled, onDone, onSave }) {
  const text = useSignal(readDraft(draft) || before);
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => field.current?.focus(), []);
  /** @param {any} event */
  const change = (event) => {
    text.value = event.currentTarget.value;
    storeDraft(draft, text.value);
  };
  /** Escape leaves the form; what was typed is in it the next time. @param {KeyboardEvent} event */
  const press = (event) => {
    if (!isCloseKey(event)) return;
    event.preventDefault();
    onDone();
  };
  const cancel = () => {
    storeDraft(draft, "");
    onDone();
  };
  /** @param {Event} event */
  const save = (event) => {
    event.preventDefault();
    onSave(text.value);
    onDone();
  };
  return html`<form class="edit" onSubmit=${save} onKeyDown=${press}>
    <textarea ref=${field} class="field" dir="auto" aria-label=${t("edit.message")} value=${text.value} onInput=${change}></textarea>
    <p class="note">${note}</p>
    <div class="row"><button class="button primary" disabled=${disabled || !text.value.trim()}>${send}</button><button type="button" class="button" onClick=${cancel}>${t("edit.cancel")}</button></div>
  </form>`;
}

/** Whether a message is being edited, and the element whose first button has the focus again afterwards. */
export function useEditing() {
  const isEditing = useSignal(false);
  const tools = useRef(/** @type {HTMLElement | null} */ (null));
  const wasEdited = useRef(false);
  useEffect(() => {
    if (wasEdited.current && !isEditing.value) tools.current?.querySelector("button")?.focus();
    wasEdited.current = isEditing.value;
  }, [isEditing.value]);
  return { isEditing, tools };
}
