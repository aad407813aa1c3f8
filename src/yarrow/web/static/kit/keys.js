// Keys that mean the same in every field.

/**
 * Whether Enter sends: not with Shift, and not while an input method composes. Safari ends a composition before its
 * Enter arrives, which has the code 229 then.
 * @param {KeyboardEvent} event
 */
export const isSendKey = (event) =>
  event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229;

/** Whether Escape closes: in a composition it takes back what was composed. @param {KeyboardEvent} event */
export const isCloseKey = (event) => event.key === "Escape" && !event.isComposing && !event.defaultPrevented;

/** Whether keys write into a field. @param {EventTarget | null} target */
export const isTyping = (target) =>
  target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

/** Focus a field that a new view begins with, unless the reader writes elsewhere already. @param {HTMLElement | null} field */
export function takeFocus(field) {
  if (!isTyping(document.activeElement)) field?.focus({ preventScroll: true });
}

const touch = matchMedia("(pointer: coarse)");

/** Go on writing after a button beside the field was pressed; not where it would raise a keyboard over the answer. @param {HTMLElement | null} field */
export function returnToField(field) {
  if (!touch.matches) field?.focus({ preventScroll: true });
}

/** Make a listener for clicks that does a thing once where a double click is given. @param {() => void} act */
export const clickOnce = (act) => (/** @type {MouseEvent} */ event) => {
  if (event.detail < 2) act();
};
