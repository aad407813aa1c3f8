// The form that connects a database: the parts of its address by kind, the password beside it.

import { html, useSignal } from "../../vendor/preact.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { pageData } from "../../kit/page_data.js";
import { t } from "../../kit/words.js";
import { SourceProblem, callSources, loadSources } from "./sources.js";

const DRAFT = "data-source";
const NETWORK = ["host", "port", "database", "user", "password", "tls"];
const FIELDS = /** @type {Record<string, string[]>} */ ({
  postgresql: NETWORK,
  mysql: NETWORK,
  sqlite: ["path"],
  duckdb: ["path"],
  file: ["path"],
  clickhouse: NETWORK,
  s3: ["bucket", "prefix", "user", "password", "region", "endpoint"],
  bigquery: ["project", "dataset", "password"],
  snowflake: ["account", "database", "schema", "user", "password", "warehouse", "role"],
});
const OPTIONAL = new Set([
  "port",
  "user",
  "password",
  "prefix",
  "region",
  "endpoint",
  "dataset",
  "schema",
  "warehouse",
  "role",
]);
const PORTS = /** @type {Record<string, string>} */ ({ postgresql: "5432", mysql: "3306", clickhouse: "8443" });
const ENCRYPTED = /** @type {Record<string, string>} */ ({ postgresql: "sslmode", mysql: "tls", clickhouse: "tls" });
const EXAMPLES = /** @type {Record<string, string>} */ ({
  host: "db.example.com",
  region: "eu-west-1",
  endpoint: "https://s3.example.com",
});
const PATHS = /** @type {Record<string, string>} */ ({
  sqlite: "/folder/file.db",
  duckdb: "/folder/file.duckdb",
  file: "/folder",
});

/** @typedef {Record<string, string>} Values */

/** @param {string} [path] */
const encodePath = (path = "") => path.split("/").filter(Boolean).map(encodeURIComponent).join("/");

/** The address without the password. @param {string} kind @param {Values} values */
export function writeAddress(kind, values) {
  if (PATHS[kind]) return `${kind}:///${encodePath(values.path)}`;
  const user = values.user ? `${encodeURIComponent(values.user)}@` : "";
  const host = values.bucket ?? values.project ?? values.account ?? values.host ?? "";
  const port = PORTS[kind] ? `:${values.port || PORTS[kind]}` : "";
  const inside = [values.database, values.schema, values.dataset, values.prefix].map(encodePath).filter(Boolean);
  const options = new URLSearchParams();
  for (const name of ["region", "endpoint", "warehouse", "role"]) if (values[name]) options.set(name, values[name]);
  if (ENCRYPTED[kind] && values.tls) options.set(ENCRYPTED[kind], kind === "postgresql" ? "require" : "true");
  const query = options.size ? `?${options}` : "";
  return `${kind}://${user}${/^[^[].*:/.test(host) ? `[${host}]` : host}${port}/${inside.join("/")}${query}`;
}

/** A name from what was typed: the file without its ending, the database, the bucket. @param {Values} values */
function suggestName(values) {
  const whole = values.path ?? values.database ?? values.bucket ?? values.dataset ?? values.project ?? "";
  const last = whole.split("/").filter(Boolean).at(-1) ?? "";
  const stem = last.replace(/(?<=.)\.\w+$/, "").replace(/[^\p{L}\p{N}_.-]/gu, "_");
  return stem.replace(/^[.-]+/, "").slice(0, 64);
}

/** @returns {{kind: string, values: Values}} */
function readTyped() {
  try {
    return JSON.parse(readDraft(DRAFT));
  } catch {
    return { kind: "postgresql", values: {} };
  }
}

/** What a part is called where its kind has another word for it. @param {string} kind @param {string} field */
function namePart(kind, field) {
  if (kind === "s3" && field === "user") return "access_key";
  if (kind === "s3" && field === "password") return "secret_key";
  return kind === "bigquery" && field === "password" ? "key_file" : field;
}

/** What the browser checks before anything is sent. @param {string} kind @param {string} field */
function describeInput(kind, field) {
  const plain = { type: "text", autocomplete: "off", placeholder: EXAMPLES[field] };
  if (field === "password") return { ...plain, type: "password", autocomplete: "new-password" };
  if (field === "port") return { ...plain, inputmode: "numeric", pattern: "[0-9]*", placeholder: PORTS[kind] };
  if (field === "path")
    return { ...plain, pattern: "/.*", title: t("data.source_path_note"), placeholder: PATHS[kind] };
  return plain;
}

/** @param {{kind: string, field: string, value: string, onChange: (value: string) => void}} props */
function Part({ kind, field, value, onChange }) {
  const name = namePart(kind, field);
  const label = t(`data.source_part.${name}`);
  if (field === "tls")
    return html`<label class="check"><input type="checkbox" checked=${Boolean(value)} onChange=${(/** @type {any} */ event) => onChange(event.currentTarget.checked ? "yes" : "")} /> ${label}</label>`;
  const isOptional = OPTIONAL.has(field);
  const isLong = name === "key_file";
  const input = {
    id: `source-${field}`,
    class: "field",
    dir: "auto",
    spellcheck: false,
    required: !isOptional,
    value,
    onInput: (/** @type {any} */ event) => onChange(event.currentTarget.value),
  };
  return html`<div class=${isLong || field === "path" ? "whole" : undefined}>
    <label class="label" for=${input.id}>${label}${isOptional && html` <small>${t("data.source_optional")}</small>`}</label>
    ${isLong ? html`<textarea ...${input} rows="3"></textarea>` : html`<input ...${input} ...${describeInput(kind, field)} />`}
    ${field === "path" && html`<p class="note">${t("data.source_path_note")}</p>`}
  </div>`;
}

/** @param {{onConnected: (name: string) => void}} props */
export function SourceForm({ onConnected }) {
  const typed = useSignal(readTyped());
  const password = useSignal("");
  const given = useSignal(/** @type {string | null} */ (null));
  const isBusy = useSignal(false);
  const problem = useSignal(/** @type {any} */ (null));
  const { kind, values } = typed.value;
  const name = given.value ?? suggestName(values);
  /** @param {{kind?: string, values?: Values}} changed */
  const change = (changed) => {
    typed.value = { ...typed.value, ...changed };
    storeDraft(DRAFT, JSON.stringify(typed.value));
  };
  /** @param {string} field @param {string} value */
  const fill = (field, value) => {
    if (field === "password") password.value = value;
    else change({ values: { ...values, [field]: value } });
  };
  /** @param {Event} [event] */
  const submit = async (event) => {
    event?.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    const used = Object.fromEntries(FIELDS[kind].map((field) => [field, (values[field] ?? "").trim()]));
    const hasPassword = FIELDS[kind].includes("password") && password.value !== "";
    const body = { name, url: writeAddress(kind, used), ...(hasPassword && { password: password.value }) };
    try {
      await callSources("", { method: "POST", body });
      storeDraft(DRAFT, "");
      await loadSources();
      onConnected(name);
    } catch (error) {
      problem.value = error;
    }
    isBusy.value = false;
  };
  return html`<section class="card source-form" aria-labelledby="connect-title">
    <h1 id="connect-title">${t("data.source_connect")}</h1>
    <p class="quiet">${t("data.source_lead")}</p>
    <form onSubmit=${submit} aria-busy=${isBusy.value}>
      <fieldset><legend class="label">${t("data.source_what")}</legend>
        <div class="row">${Object.keys(FIELDS).map((each) => html`<label class="chip" key=${each}><input type="radio" name="source-kind" checked=${each === kind} onChange=${() => change({ kind: each })} />${t(`data.source_kind.${each}`)}</label>`)}</div>
      </fieldset>
      <div class="form-fields">
        ${FIELDS[kind].map((field) => html`<${Part} key=${`${kind} ${field}`} kind=${kind} field=${field} value=${field === "password" ? password.value : (values[field] ?? "")} onChange=${(/** @type {string} */ value) => fill(field, value)} />`)}
        <div><label class="label" for="source-name">${t("data.source_name")}</label><input id="source-name" class="field" dir="auto" required autocomplete="off" maxlength="64" pattern="[\\p{L}\\p{N}_][\\p{L}\\p{N}_.\\-]*" title=${t("data.source_name_note")} value=${name} onInput=${(/** @type {any} */ event) => (given.value = event.currentTarget.value)} /></div>
      </div>
      ${problem.value && html`<${SourceProblem} problem=${problem.value} />`}
      <div class="row"><button class="button primary" disabled=${isBusy.value}>${t(isBusy.value ? "data.source_connecting" : "data.source_submit")}</button><a class="small" href="/docs/howto/connect-your-database" hreflang=${pageData.language === "en" ? undefined : "en"}>${t("data.source_help")}</a></div>
      ${FIELDS[kind].includes("password") && html`<p class="note">${t("data.source_kept")}</p>`}
    </form>
  </section>`;
}
