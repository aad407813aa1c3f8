// Find an account by e-mail or id, see its points, grant some with a ticket.

import { html, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { formatNumber, t } from "../../kit/words.js";

/** @param {{account: any, onChange: (account: any) => void}} props */
function GrantForm({ account, onChange }) {
  const amount = useSignal("");
  const ticket = useSignal("");
  const problem = useSignal(/** @type {any} */ (null));
  const isDone = useSignal(false);
  const isReady = /^[1-9]\d{0,11}$/.test(amount.value.trim()) && ticket.value.trim() !== "";
  /** @param {Event} event */
  const grant = async (event) => {
    event.preventDefault();
    if (!isReady) return;
    problem.value = null;
    const body = { amount: Number(amount.value), ticket_id: ticket.value.trim() };
    try {
      onChange(await request(`/api/v1/operations/accounts/${account.id}/grants`, { method: "POST", body }));
      isDone.value = true;
      amount.value = ticket.value = "";
    } catch (error) {
      problem.value = error;
    }
  };
  /** @param {import("../../vendor/preact.js").Signal<string>} target */
  const change = (target) => (/** @type {any} */ event) => {
    target.value = event.currentTarget.value;
    isDone.value = false;
  };
  return html`<form class="row grant" onSubmit=${grant}>
    <label><span class="label">${t("ops.amount")}</span><input class="field" inputmode="numeric" value=${amount.value} onInput=${change(amount)} /></label>
    <label><span class="label">${t("ops.ticket")}</span><input class="field" value=${ticket.value} onInput=${change(ticket)} /></label>
    <button class="button primary" disabled=${!isReady}>${t("ops.grant")}</button><span role="status" class="quiet">${isDone.value ? t("ops.granted") : ""}</span>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
  </form>`;
}

export function AccountPanel() {
  const who = useSignal("");
  const account = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  /** @param {Event} event */
  const find = (event) => {
    event.preventDefault();
    problem.value = account.value = null;
    request(`/api/v1/operations/account?who=${encodeURIComponent(who.value.trim())}`).then(
      (found) => (account.value = found),
      (error) => (problem.value = error),
    );
  };
  const found = account.value;
  return html`<section class="card"><h2>${t("ops.find_account")}</h2>
    <form class="row-fill" onSubmit=${find}><input class="field" type="text" aria-label=${t("ops.who")} placeholder=${t("ops.who")} value=${who.value} onInput=${(/** @type {any} */ event) => (who.value = event.currentTarget.value)} /><button class="button" disabled=${!who.value.trim()}>${t("ops.find")}</button></form>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${found && html`<dl class="card-pairs"><div><dt>${t("ops.account")}</dt><dd>${found.email ?? found.id}</dd></div><div><dt>${t("ops.balance")}</dt><dd>${formatNumber(found.balance)}</dd></div><div><dt>${t("ops.held")}</dt><dd>${formatNumber(found.held)}</dd></div></dl><${GrantForm} key=${found.id} account=${found} onChange=${(/** @type {any} */ changed) => (account.value = changed)} />`}
  </section>`;
}
