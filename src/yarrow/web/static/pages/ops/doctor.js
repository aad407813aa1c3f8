// The checks of `yarrow doctor` in the running server. They call the model, so a button starts them.

import { html, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { hasWords, t } from "../../kit/words.js";

/** @param {{check: {works: boolean, needed?: boolean}}} props */
export function CheckBadge({ check }) {
  if (check.works) return html`<span class="badge success">${t("ops.works")}</span>`;
  if (check.needed === false) return html`<span class="badge">${t("ops.off")}</span>`;
  return html`<span class="badge error">${t("ops.broken")}</span>`;
}

/** The text of an error is in English. @param {{check: {finding: string, facts: Record<string, string>}}} props */
const Message = ({ check: { finding, facts } }) =>
  html`<span class="quiet" lang=${finding === "other" ? "en" : undefined}>${t(`ops.finding_${finding}`, facts)}</span>`;

/** @param {{checks: any[]}} props */
export const CheckList = ({ checks }) =>
  html`<ul class="list findings">${checks.map((each) => html`<li key=${each.name}><${CheckBadge} check=${each} /> <b>${hasWords(`ops.check_${each.name}`) ? t(`ops.check_${each.name}`) : each.name}</b> <${Message} check=${each} /></li>`)}</ul>`;

export function Doctor() {
  const checks = useSignal(/** @type {any[] | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const isRunning = useSignal(false);
  const run = async () => {
    isRunning.value = true;
    problem.value = null;
    try {
      checks.value = (await request("/api/v1/operations/doctor", { method: "POST" })).checks;
    } catch (error) {
      problem.value = error;
    }
    isRunning.value = false;
  };
  const state = isRunning.value ? "ops.doctor_running" : checks.value ? "ops.doctor_done" : "";
  return html`<section class="card"><h2>${t("ops.doctor")}</h2><p class="quiet">${t("ops.doctor_note")} <code lang="en">yarrow doctor</code></p>
    <div class="row"><button type="button" class="button" aria-disabled=${isRunning.value} onClick=${() => isRunning.value || run()}>${t("ops.doctor_run")}</button><span role="status" class="quiet">${state && t(state)}</span></div>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}${checks.value && html`<${CheckList} checks=${checks.value} />`}</section>`;
}
