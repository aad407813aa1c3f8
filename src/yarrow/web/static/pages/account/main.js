// Account: sign in and out, the profile, and where the points went.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { forgetToken, readToken, request } from "../../kit/api.js";
import { mountPage } from "../../kit/client_page.js";
import { hasAccounts } from "../../kit/page_data.js";
import { ProblemNotice } from "../../kit/problems.js";
import { syncLanguage } from "../../kit/profile.js";
import { t } from "../../kit/words.js";
import { Balance, Ledger } from "./points.js";
import { ProfileForm } from "./profile_form.js";
import { SignIn, readReturn } from "./sign_in.js";

/** @typedef {{profile: any, points: any, held: any[], sessions: Map<string, any>}} AccountData */

/** @returns {Promise<AccountData>} */
async function loadAccount() {
  await syncLanguage(); // The form shows in which language agents will answer this page.
  const [profile, points, { runs }, { sessions }] = await Promise.all([
    request("/api/v1/profile"),
    request("/api/v1/points"),
    request("/api/v1/runs?limit=50"),
    request("/api/v1/sessions?limit=100"),
  ]);
  const held = runs.filter((/** @type {any} */ run) => run.held_points > 0);
  return { profile, points, held, sessions: new Map(sessions.map((/** @type {any} */ each) => [each.id, each])) };
}

/** @param {{onSignOut: () => void}} props */
function AccountView({ onSignOut }) {
  const data = useSignal(/** @type {AccountData | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const load = () => {
    problem.value = null;
    loadAccount().then(
      (loaded) => (data.value = loaded),
      (error) => (error.status === 401 ? onSignOut() : (problem.value = error)),
    );
  };
  useEffect(load, []);
  const leave = () => {
    void request("/api/v1/auth/logout", { method: "POST" }).catch(() => undefined);
    forgetToken();
    onSignOut();
  };
  return html`<div class="row spread page-row"><h1>${t("nav.account")}</h1>${hasAccounts && html`<button type="button" class="button" onClick=${leave}>${t("account.sign_out")}</button>`}</div>
    ${!hasAccounts && html`<div class="notice calm" role="note"><p>${t("account.off")} <code lang="en">YARROW_AUTH=jwt make serve</code></p></div>`}
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} onRetry=${load} />`}
    ${
      data.value
        ? html`<div class="account-grid"><${ProfileForm} profile=${data.value.profile} />${hasAccounts && html`<${Balance} points=${data.value.points} held=${data.value.held} />`}</div>
            ${hasAccounts && html`<${Ledger} sessions=${data.value.sessions} />`}`
        : !problem.value &&
          html`<div class="card" aria-hidden="true"><span class="shape"></span><span class="shape"></span><span class="shape"></span></div>`
    }`;
}

function App() {
  const isIn = useSignal(!hasAccounts || readToken() !== "");
  const enter = () => {
    const target = readReturn();
    if (target === "/account") isIn.value = true;
    else location.assign(target);
  };
  return isIn.value
    ? html`<${AccountView} onSignOut=${() => (isIn.value = false)} />`
    : html`<${SignIn} onDone=${enter} />`;
}

mountPage(App);
