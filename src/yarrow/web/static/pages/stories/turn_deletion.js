// Deleting the last turn of a branch, asked about before: its replies cannot be had back.

import { html, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { IconButton } from "../../kit/icons.js";
import { t } from "../../kit/words.js";

/** @param {{isBusy: boolean, onDelete: () => void}} props */
export function TurnDeletion({ isBusy, onDelete }) {
  const isAsked = useSignal(false);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const wasAsked = useRef(false);
  useEffect(() => {
    if (isAsked.value || wasAsked.current) place.current?.querySelector("button")?.focus();
    wasAsked.current = isAsked.value;
  }, [isAsked.value]);
  const keep = () => (isAsked.value = false);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    keep();
  };
  if (!isAsked.value)
    return html`<span ref=${place}><${IconButton} name="close" label=${t("stories.delete_turn")} disabled=${isBusy} onClick=${() => (isAsked.value = true)} /></span>`;
  return html`<div ref=${place} class="notice turn-deletion" role="alertdialog" aria-label=${t("stories.delete_turn")} onKeyDown=${press}>
    <p>${t("stories.delete_turn_question")}</p>
    <button type="button" class="button" onClick=${keep}>${t("stories.keep_turn")}</button>
    <button type="button" class="button primary" disabled=${isBusy} onClick=${onDelete}>${t("stories.delete_turn_yes")}</button>
  </div>`;
}
