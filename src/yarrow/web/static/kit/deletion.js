// Deleting with a time to undo.

import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";
import { t } from "./words.js";

const UNDO_MS = 6000;

/** Has the focus of the row that is gone, and leaves it to what the list begins with. @param {{last: string | undefined, onUndo: () => void}} props */
function UndoNotice({ last, onUndo }) {
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  const hasFocus = useRef(false);
  useEffect(() => button.current?.focus({ preventScroll: true }), [last]);
  useEffect(() => {
    const around = button.current?.closest("aside, main");
    return () => {
      if (!hasFocus.current) return;
      /** @type {HTMLElement | null | undefined} */
      const first = around?.querySelector("a, button, input");
      first?.focus({ preventScroll: true });
    };
  }, []);
  /** It goes nowhere when the button is removed. @param {FocusEvent} event */
  const blur = (event) => (hasFocus.current = event.relatedTarget === null);
  return html`<div class="notice calm" role="status"><p>${t("chat.deleted")}</p><button ref=${button} type="button" class="button" onClick=${onUndo} onFocus=${() => (hasFocus.current = true)} onBlur=${blur}>${t("chat.undo")}</button></div>`;
}

/**
 * Deletes after a time to undo; a page or view that is left before deletes at once.
 * @param {object} deletion
 * @param {(id: string, options: {keepalive: boolean}) => Promise<unknown>} deletion.erase sends the request
 * @param {(id: string) => void} deletion.onDeleted
 * @param {(error: any) => void} deletion.onProblem
 */
export function useDeletion({ erase, onDeleted, onProblem }) {
  const doomed = useSignal(/** @type {{id: string, timer: number}[]} */ ([]));
  /** @param {string} id */
  const isDoomed = (id) => doomed.value.some((each) => each.id === id);
  /** @param {string} id */
  const remove = (id) => {
    if (isDoomed(id)) return;
    const timer = window.setTimeout(async () => {
      await erase(id, { keepalive: false }).then(() => onDeleted(id), onProblem);
      doomed.value = doomed.value.filter((each) => each.id !== id);
    }, UNDO_MS);
    doomed.value = [...doomed.value, { id, timer }];
  };
  const undo = () => {
    clearTimeout(doomed.value.at(-1)?.timer);
    doomed.value = doomed.value.slice(0, -1);
  };
  useEffect(() => {
    const leave = () => {
      for (const { id } of doomed.value) void erase(id, { keepalive: true }).catch(() => undefined);
    };
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      for (const { id, timer } of doomed.value) {
        clearTimeout(timer); // Nobody can undo it any more.
        void erase(id, { keepalive: true }).then(() => onDeleted(id), onProblem);
      }
    };
  }, []);
  const notice = doomed.value.length > 0 && html`<${UndoNotice} last=${doomed.value.at(-1)?.id} onUndo=${undo} />`;
  return { isDoomed, remove, notice };
}
