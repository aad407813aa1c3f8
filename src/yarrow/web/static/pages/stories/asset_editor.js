// Forms for an asset: its own fields, its entries one at a time, or all of it as JSON.

import { html, useSignal } from "../../vendor/preact.js";
import { formatNumber, t } from "../../kit/words.js";
import { FORMS, readField, writeField } from "./asset_fields.js";
import { IconButton } from "../../kit/icons.js";

const SHOWN = 50;
const WORDS = /\s*\/(?:\\.|[^\\/])+\/[a-z]*\s*(?=[,，]|$)|[^,，]+/g; // A comma within a regex does not end it.

/** @param {import("./asset_fields.js").FieldSpec} spec @param {any} value */
function toText({ type }, value) {
  if (type === "words") return (value ?? []).join(", ");
  return String(value ?? "");
}

/** @param {import("./asset_fields.js").FieldSpec} spec @param {string} text */
function fromText({ type }, text) {
  if (type === "words") return (text.match(WORDS) ?? []).map((word) => word.trim()).filter(Boolean);
  if (type === "number") return text.trim() === "" ? undefined : Number(text.trim().replace(",", "."));
  return text;
}

/** Texts that may have any lines, each in a field of its own. @param {{label: string, texts: string[], onChange: (texts: string[]) => void}} props */
const TextList = ({ label, texts, onChange }) =>
  html`<fieldset class="texts"><legend class="label">${label}</legend>
    ${texts.map((text, place) => {
      const name = `${label} ${place + 1}`;
      return html`<div key=${place}><textarea class="field" dir="auto" aria-label=${name} value=${text} onInput=${(/** @type {any} */ event) => onChange(texts.with(place, event.currentTarget.value))}></textarea><${IconButton} name="close" label=${t("chat.delete", { title: name })} onClick=${() => onChange(texts.toSpliced(place, 1))} /></div>`;
    })}
    <button type="button" class="button" onClick=${() => onChange([...texts, ""])}>${t("stories.add_text")}</button></fieldset>`;

/** @param {{spec: import("./asset_fields.js").FieldSpec, value: any, onChange: (value: any) => void}} props */
function Field({ spec, value, onChange }) {
  const label = t(`stories.field_${spec.name}`);
  const typed = useSignal(toText(spec, value)); // As typed: "a, " would lose its comma on the way back.
  if (spec.type === "switch")
    return html`<label class="check"><input type="checkbox" checked=${spec.isInverted ? !value : Boolean(value)} onChange=${(/** @type {any} */ event) => onChange(spec.isInverted ? !event.currentTarget.checked : event.currentTarget.checked)} /><span>${label}</span></label>`;
  if (spec.type === "list") return html`<${TextList} label=${label} texts=${value ?? []} onChange=${onChange} />`;
  const own = fromText(spec, typed.value);
  const isWrong = Number.isNaN(own); // What is no number stays as it was typed, beside the last number.
  const text = isWrong || toText(spec, own) === toText(spec, value) ? typed.value : toText(spec, value);
  const change = (/** @type {any} */ event) => {
    typed.value = event.currentTarget.value;
    const changed = fromText(spec, typed.value);
    if (!Number.isNaN(changed)) onChange(changed);
  };
  return html`<label><span class="label">${label}</span>${spec.type === "text" ? html`<textarea class="field" dir="auto" value=${text} onInput=${change}></textarea>` : html`<input class="field" dir="auto" inputmode=${spec.type === "number" ? "decimal" : undefined} aria-invalid=${isWrong || undefined} value=${text} onInput=${change} />`}</label>`;
}

/** @param {{specs: import("./asset_fields.js").FieldSpec[], object: any, onChange: (object: any) => void}} props */
const Fields = ({ specs, object, onChange }) =>
  html`<div class="fields">${specs.map((spec) => html`<${Field} key=${spec.name} spec=${spec} value=${readField(spec, object)} onChange=${(/** @type {any} */ value) => onChange(writeField(spec, object, value))} />`)}</div>`;

/** @param {{form: import("./asset_fields.js").AssetForm, data: any, onChange: (data: any) => void}} props */
function Entries({ form, data, onChange }) {
  const words = useSignal("");
  const count = useSignal(SHOWN);
  const entries = form.entries?.(data) ?? [];
  const wanted = words.value.trim().toLowerCase();
  const name = (/** @type {any} */ entry) => form.nameEntry?.(entry) ?? "";
  const found = entries
    .map((entry, place) => ({ entry, place }))
    .filter(
      ({ entry }) =>
        !wanted ||
        name(entry).toLowerCase().includes(wanted) ||
        String(entry.content ?? "")
          .toLowerCase()
          .includes(wanted),
    );
  /** @param {any[]} changed */
  const save = (changed) => onChange(form.withEntries?.(data, changed));
  return html`<h2>${t("stories.entries", { count: formatNumber(entries.length) })}</h2>
    ${entries.length > 8 && html`<input type="search" class="field" aria-label=${t("stories.search_entries")} placeholder=${t("stories.search_entries")} value=${words.value} onInput=${(/** @type {any} */ event) => (words.value = event.currentTarget.value)} />`}
    <div class="entries">${found.slice(0, count.value).map(
      ({
        entry,
        place,
      }) => html`<details key=${place} class="fold entry"><summary><span dir="auto" class=${form.isOff?.(entry, data) ? "left-out" : ""}>${name(entry) || t("history.untitled")}</span></summary>
        <${Fields} specs=${form.entryFields} object=${entry} onChange=${(/** @type {any} */ changed) => save(entries.with(place, changed))} />
        ${form.turn && html`<label class="check"><input type="checkbox" checked=${!form.isOff?.(entry, data)} onChange=${(/** @type {any} */ event) => onChange(form.turn?.(data, entry, event.currentTarget.checked))} /><span>${t("stories.field_disable")}</span></label>`}
        ${form.isDisplayOnly?.(entry) && html`<p class="note">${t("stories.display_only")}</p>`}
        <${IconButton} name="close" label=${t("stories.delete_entry", { name: name(entry) })} onClick=${() => save(entries.filter((each) => each !== entry))} /></details>`,
    )}</div>
    ${found.length > count.value && html`<button type="button" class="button" onClick=${() => (count.value += 200)}>${t("stories.more_entries", { count: formatNumber(found.length - count.value) })}</button>`}
    <button type="button" class="button" onClick=${() => save([...entries, form.newEntry?.(entries)])}>${t("stories.add_entry")}</button>`;
}

/** @param {{data: any, onChange: (data: any) => void}} props */
function JsonEditor({ data, onChange }) {
  const broken = useSignal(""); // As typed, until it is JSON.
  const isOpen = useSignal(false); // A large asset as text is only made for one who wants to see it.
  /** @param {any} event */
  const change = (event) => {
    const text = event.currentTarget.value;
    try {
      onChange(JSON.parse(text));
      broken.value = "";
    } catch {
      broken.value = text;
    }
  };
  return html`<details class="fold" open=${isOpen.value} onToggle=${(/** @type {any} */ event) => (isOpen.value = event.currentTarget.open)}><summary>${t("stories.as_json")}</summary>
    ${isOpen.value && html`<textarea class="field json" spellcheck="false" aria-label=${t("stories.as_json")} value=${broken.value || JSON.stringify(data, null, 2)} aria-invalid=${broken.value !== "" || undefined} onChange=${change}></textarea>`}
    ${broken.value && html`<p class="note" role="alert">${t("stories.broken_json")}</p>`}</details>`;
}

/** @param {{kind: string, data: any, onChange: (data: any) => void}} props */
export function AssetEditor({ kind, data, onChange }) {
  const form = FORMS[kind];
  const inner = form.inner(data);
  /** @param {any} changed */
  const change = (changed) => onChange(inner === data ? changed : { ...data, data: changed });
  return html`${form.fields.length > 0 && html`<${Fields} specs=${form.fields} object=${inner} onChange=${change} />`}
    ${form.entries && html`<${Entries} form=${form} data=${data} onChange=${onChange} />`}
    <${JsonEditor} data=${data} onChange=${onChange} />`;
}
