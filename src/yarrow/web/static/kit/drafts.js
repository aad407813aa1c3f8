// Text that was typed and not sent yet, kept for the tab so that nothing is lost by a reload.

/** @param {string} name */
export function readDraft(name) {
  try {
    return sessionStorage.getItem(`yarrow.draft.${name}`) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} name @param {string} text */
export function storeDraft(name, text) {
  try {
    if (text) sessionStorage.setItem(`yarrow.draft.${name}`, text);
    else sessionStorage.removeItem(`yarrow.draft.${name}`);
  } catch {
    // Full or blocked: the text stays in its field.
  }
}
