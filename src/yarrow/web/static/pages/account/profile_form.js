// The profile: what agents call one, and the settings that change their answers.

import { html, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { t } from "../../kit/words.js";

const ZONES = Intl.supportedValuesOf("timeZone");

/** @param {{label: string, name: string, value: string, options: [string, string][], onChange: (value: string) => void}} props */
const Choice = ({ label, name, value, options, onChange }) =>
  html`<div>
    <label class="label" for=${name}>${label}</label>
    <select id=${name} class="field" value=${value} onChange=${(/** @type {any} */ event) => onChange(event.currentTarget.value)}>
      ${options.map(([key, words]) => html`<option value=${key}>${words}</option>`)}
    </select>
  </div>`;

/** @param {{profile: any}} props */
export function ProfileForm({ profile }) {
  const settings = useSignal({ ...profile.settings });
  const username = useSignal(profile.username);
  const saved = useSignal("");
  const problem = useSignal(/** @type {any} */ (null));
  /** @param {string} name */
  const change = (name) => (/** @type {string} */ value) => (settings.value = { ...settings.value, [name]: value });
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    problem.value = null;
    saved.value = "";
    try {
      await request("/api/v1/profile", {
        method: "PATCH",
        body: { username: username.value, settings: settings.value },
      });
      saved.value = t("profile.saved");
    } catch (error) {
      problem.value = error;
    }
  };
  const { ai_language, script, timezone, day_boundary } = settings.value;
  const zones = ZONES.includes(timezone) ? ZONES : [timezone, ...ZONES];
  return html`<form class="card profile" onSubmit=${submit}>
    <h2>${t("profile.title")}</h2>
    <div><label class="label" for="username">${t("profile.name")}</label><input id="username" type="text" class="field" required maxlength="64" value=${username.value} onInput=${(/** @type {any} */ event) => (username.value = event.currentTarget.value)} /></div>
    <div class="choices">
      <${Choice} name="ai_language" label=${t("profile.language")} value=${ai_language.startsWith("zh") ? "zh-CN" : ai_language} options=${[
        ["zh-CN", t("profile.chinese")],
        ["en", t("profile.english")],
      ]} onChange=${change("ai_language")} />
      <${Choice} name="script" label=${t("profile.script")} value=${script} options=${[
        ["hans", t("profile.hans")],
        ["hant", t("profile.hant")],
      ]} onChange=${change("script")} />
      <${Choice} name="timezone" label=${t("profile.timezone")} value=${timezone} options=${zones.map((zone) => [zone, zone])} onChange=${change("timezone")} />
      <${Choice} name="day_boundary" label=${t("profile.day_boundary")} value=${day_boundary} options=${[
        ["23:00", "23:00"],
        ["00:00", "00:00"],
      ]} onChange=${change("day_boundary")} />
    </div>
    <p class="note">${t("profile.note")}</p>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    <div class="row"><button class="button primary">${t("profile.save")}</button><span class="note" role="status">${saved.value}</span></div>
  </form>`;
}
