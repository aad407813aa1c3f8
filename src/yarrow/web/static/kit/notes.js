// Sentences of the server with their facts, in the language of the page.

import { hasWords, t } from "./words.js";

/** @typedef {{message: string, code?: string, facts?: Record<string, Fact>}} CodedNote one of the server's sentences with its facts; a message only if an older version stored it */
/** @typedef {string | CodedNote | (string | CodedNote)[]} Fact a text, a part of the sentence, or a list of names or clauses */

/** @param {CodedNote | string} note */
const hasOwnWords = (note) => typeof note !== "string" && hasWords(`note.${note.code}`);

/** @param {Fact} fact @returns {string} */
function describeFact(fact) {
  if (typeof fact === "string") return fact;
  if (!Array.isArray(fact)) return describeNote(fact);
  return fact.map(describeFact).join(t(typeof fact[0] === "string" ? "note.of_names" : "note.of_clauses"));
}

/** @param {CodedNote} note */
export function describeNote(note) {
  if (!hasOwnWords(note)) return note.message;
  const facts = Object.entries(note.facts ?? {}).map(([name, fact]) => [name, describeFact(fact)]);
  return t(`note.${note.code}`, Object.fromEntries(facts));
}

/** The language tag of a note that the page has no words for. @param {CodedNote} note */
export const tagNote = (note) => (hasOwnWords(note) ? undefined : "en");

/** The notes of an answer. @param {{notes?: string[], note_details?: CodedNote[]} | null | undefined} answer @returns {CodedNote[]} */
export const readNotes = (answer) => answer?.note_details ?? (answer?.notes ?? []).map((message) => ({ message }));
