// Signing in and signing up; afterwards the reader is back where they were.

import { html, useSignal } from "../../vendor/preact.js";
import { request, storeToken } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { beginProfile } from "../../kit/profile.js";
import { t } from "../../kit/words.js";

const PASSWORD_MIN = 8;

/** Where to go afterwards: an address of this site only. */
export function readReturn() {
  const wanted = new URLSearchParams(location.search).get("return") ?? "";
  return /^\/(?![/\\])/.test(wanted) ? wanted : "/account";
}

/** @param {{onDone: () => void}} props */
export function SignIn({ onDone }) {
  const isNew = useSignal(false);
  const email = useSignal("");
  const password = useSignal("");
  const remember = useSignal(false);
  const busy = useSignal(false);
  const problem = useSignal(/** @type {any} */ (null));
  const isShort = isNew.value && password.value !== "" && password.value.length < PASSWORD_MIN;
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    if (busy.value || isShort) return;
    busy.value = true;
    problem.value = null;
    try {
      const path = `/api/v1/auth/${isNew.value ? "signup" : "login"}`;
      const answer = await request(path, {
        method: "POST",
        body: { email: email.value.trim(), password: password.value },
      });
      storeToken(answer.access_token, remember.value);
      if (isNew.value) await beginProfile().catch(() => undefined);
      onDone();
    } catch (error) {
      problem.value = error;
    }
    busy.value = false;
  };
  const change = () => {
    isNew.value = !isNew.value;
    problem.value = null;
  };
  return html`<form class="card sign-in" onSubmit=${submit}>
    <h1>${t(isNew.value ? "account.sign_up" : "account.sign_in")}</h1>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    <div>
      <label class="label" for="email">${t("account.email")}</label>
      <input id="email" class="field" type="email" required autocomplete="username" maxlength="254" value=${email.value} onInput=${(/** @type {any} */ event) => (email.value = event.currentTarget.value)} />
    </div>
    <div>
      <label class="label" for="password">${t("account.password")}</label>
      <input id="password" class="field" type="password" required maxlength="128" autocomplete=${isNew.value ? "new-password" : "current-password"} aria-describedby="password-note" value=${password.value} onInput=${(/** @type {any} */ event) => (password.value = event.currentTarget.value)} />
      <p id="password-note" class="note">${isNew.value ? t("account.password_note") : ""}</p>
    </div>
    <label class="check"><input type="checkbox" checked=${remember.value} onChange=${() => (remember.value = !remember.value)} />${t("account.remember")}</label>
    <div class="row">
      <button class="button primary" disabled=${busy.value || isShort}>${t(isNew.value ? "account.sign_up" : "account.sign_in")}</button>
      <button type="button" class="button plain" onClick=${change}>${t(isNew.value ? "account.have_one" : "account.need_one")}</button>
    </div>
  </form>`;
}
