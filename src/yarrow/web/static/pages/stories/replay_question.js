// A turn that would repeat something outside the story is only repeated when the reader says so.

import { html } from "../../vendor/preact.js";
import { t } from "../../kit/words.js";
import { listAsked } from "./story.js";

/** One effect in a line: a tool, or a slot of session state. @param {any} each */
const describe = (each) => each.tool_name ?? [each.state_namespace, each.target_slot].filter(Boolean).join(" / ");

/** @param {{story: import("./story.js").Story, onConfirm: () => void}} props */
export function ReplayQuestion({ story, onConfirm }) {
  const asked = story.question.value;
  if (!asked) return null;
  return html`<div class="notice" role="alertdialog" aria-label=${t("stories.replay_title")}>
    <p><strong>${t("stories.replay_title")}</strong>${t("stories.replay_text")}</p>
    <ul>${listAsked(asked.problem).map((each) => html`<li><code>${describe(each)}</code>${each.reason && html` <span class="quiet" lang="en">${each.reason.replaceAll("_", " ")}</span>`}</li>`)}</ul>
    <div class="row"><button type="button" class="button primary" onClick=${onConfirm}>${t("stories.replay_confirm")}</button><button type="button" class="button" onClick=${() => (story.question.value = null)}>${t("stories.cancel")}</button></div>
  </div>`;
}
