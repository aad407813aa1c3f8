// A button that copies text, and says that it did.

import { html, useSignal } from "../vendor/preact.js";
import { Icon } from "./icons.js";
import { t } from "./words.js";

const SAID_MS = 1600;

/** Not shown where the browser allows no copying. @param {{text: () => string, class?: string}} props */
export function CopyButton({ text, class: name = "icon" }) {
  const isCopied = useSignal(false);
  if (!navigator.clipboard) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    isCopied.value = true;
    setTimeout(() => (isCopied.value = false), SAID_MS);
  };
  const label = t(isCopied.value ? "frame.copied" : "frame.copy");
  return html`<button type="button" class=${`${name} copying`} title=${label} aria-label=${label} onClick=${copy}><${Icon} name=${isCopied.value ? "done" : "copy"} /></button>`;
}
