// A piece of code on a page; its colours come when the module that knows them is loaded.

import { html, signal, useEffect } from "../vendor/preact.js";

/** @type {import("../vendor/preact.js").Signal<typeof import("./highlight.js").splitCode | null>} */
const split = signal(null);

/** @param {{text: string, language: string}} props */
export function Code({ text, language }) {
  useEffect(() => {
    if (language && !split.value) void import("./highlight.js").then(({ splitCode }) => (split.value = splitCode));
  }, [language]);
  const pieces = language && split.value ? split.value(text, language) : [{ kind: "", text }];
  return html`<code>${pieces.map((piece) => (piece.kind ? html`<span class=${`code-${piece.kind}`}>${piece.text}</span>` : piece.text))}</code>`;
}
