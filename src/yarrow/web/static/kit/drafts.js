// Text that was typed and not sent yet, kept for the tab so that nothing is lost by a reload.

/** @param {string} name */
export function readDraft(name) {
  try {
    return sessionStorage.getItem(`yarrow.draft.${name}`) ?? "";
  } catch {
    return "";
  }
}

/** A name for the text that a draft changes: one of another text is not meant. @param {string} text */
export const digest = (text) =>
  [...text].reduce((sum, character) => (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) | 0, 0).toString(36);

/** @param {string} name @param {string} text */
export function storeDraft(name, text) {
  try {
    if (text) sessionStorage.setItem(`yarrow.draft.${name}`, text);
    else sessionStorage.removeItem(`yarrow.draft.${name}`);
  } catch {
    // Full or blocked: the text stays in its field.
  }
}

/**
 * Keep a text that the server did not take, so that it is in its field again when the reader comes back; forget one
 * that it took. What was typed since stays.
 * @param {string} name @param {string} text @param {boolean} isTaken
 */
export function settleDraft(name, text, isTaken) {
  const kept = readDraft(name);
  if (isTaken && kept === text) storeDraft(name, "");
  if (!isTaken && !kept) storeDraft(name, text);
}
