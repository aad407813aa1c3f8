// Asking: the question and its kind, and three ways to cast.

import { html, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { hasAccounts, limits, runPoints } from "../../kit/page_data.js";
import { countCharacters, formatNumber, t } from "../../kit/words.js";
import { Coins, Figure } from "./coins.js";
import { KINDS, LINES_BY_NUMBER } from "./terms.js";

/** @typedef {import("./casting.js").Casting} Casting */

const NUMBERS_BY_LINE = Object.fromEntries(Object.entries(LINES_BY_NUMBER).map(([number, line]) => [line, number]));
const MODES = /** @type {const} */ (["auto", "hand", "typed"]);

/** @param {{question: import("../../vendor/preact.js").Signal<string>, onChange: () => void}} props */
function QuestionField({ question, onChange }) {
  const count = countCharacters(question.value);
  const max = limits.question_characters;
  const isOver = count > max;
  /** @param {InputEvent & {currentTarget: HTMLTextAreaElement}} event */
  const change = (event) => {
    question.value = event.currentTarget.value;
    storeDraft("liuyao", question.value);
    onChange();
  };
  return html`<div>
    <div class="row spread">
      <label class="label" for="question">${t("cast.question")}</label>
      <span class=${isOver ? "count over" : "count"} aria-live=${isOver ? "polite" : "off"}>
        ${isOver ? t("cast.too_long", { over: formatNumber(count - max) }) : `${formatNumber(count)} / ${max}`}
      </span>
    </div>
    <textarea id="question" class="field ask" rows="2" dir="auto" placeholder=${t("cast.placeholder")} value=${question.value} onInput=${change}></textarea>
  </div>`;
}

/** @param {{casting: Casting}} props */
function KindChooser({ casting: { kind } }) {
  return html`<fieldset>
    <legend class="label">${t("cast.kind")}</legend>
    <div class="row">
      ${Object.keys(KINDS).map(
        (key) => html`<label class="chip" key=${key}>
          <input type="radio" name="kind" checked=${kind.value === key} onChange=${() => (kind.value = key)} />${t(`kind.${key}`)}
        </label>`,
      )}
    </div>
  </fieldset>`;
}

/** @param {{casting: Casting}} props */
function ModeChooser({ casting }) {
  return html`<fieldset disabled=${casting.busy.value}>
    <legend class="label">${t("cast.way")}</legend>
    <div class="row">
      ${MODES.map(
        (mode) => html`<label class="chip" key=${mode}>
          <input type="radio" name="mode" checked=${casting.mode.value === mode} onChange=${() => casting.choose(mode)} />${t(`cast.mode.${mode}`)}
        </label>`,
      )}
    </div>
  </fieldset>`;
}

/** @param {{casting: Casting}} props */
function TypedLines({ casting }) {
  const typed = useSignal(casting.lines.map((line) => NUMBERS_BY_LINE[line]).join(" "));
  const found = useSignal(casting.lines.length);
  /** @param {InputEvent & {currentTarget: HTMLInputElement}} event */
  const change = (event) => {
    typed.value = event.currentTarget.value;
    found.value = casting.type(typed.value);
  };
  return html`<div class="typed">
    <label class="label" for="typed">${t("cast.typed")}</label>
    <input id="typed" type="text" class="field" autocomplete="off" spellcheck=${false} placeholder="7 8 9 6 7 8" value=${typed.value} onInput=${change} aria-describedby="typed-note" />
    <p id="typed-note" class="note">${found.value === 6 ? t("cast.typed_whole") : t("cast.typed_note", { count: found.value })}</p>
  </div>`;
}

/** @param {{casting: Casting}} props */
function HandThrow({ casting }) {
  const next = casting.throws.value.length + 1;
  const hasThrows = casting.throws.value.length > 0;
  return html`<div class="hand">
    <${Coins} casting=${casting} canTurn=${true} />
    <p class="note">${t("cast.hand_note")}</p>
    <div class="row centre">
      <button type="button" class="button" disabled=${casting.isComplete} onClick=${() => casting.record()}>
        ${casting.isComplete ? t("cast.recorded") : t("cast.record", { number: next })}
      </button>
      <button type="button" class="button plain" disabled=${!hasThrows} onClick=${() => casting.undo()}>${t("cast.undo")}</button>
    </div>
  </div>`;
}

/** @param {{casting: Casting}} props */
function AutoThrow({ casting }) {
  return html`<div class="auto">
    <${Coins} casting=${casting} canTurn=${false} />
    <p class="note" role="status">${casting.busy.value ? t("cast.throwing", { number: Math.min(casting.throws.value.length + 1, 6) }) : t("cast.auto_note")}</p>
  </div>`;
}

/** @param {{casting: Casting}} props */
export function CastTable({ casting }) {
  const mode = casting.mode.value;
  return html`<div class="cast-table">
    ${mode === "auto" && html`<${AutoThrow} casting=${casting} />`}
    ${mode === "hand" && html`<${HandThrow} casting=${casting} />`}
    ${mode === "typed" && html`<${TypedLines} casting=${casting} />`}
    <${Figure} lines=${casting.lines} />
  </div>`;
}

/**
 * The form. `onCast` gets the question and its kind when the lines are complete.
 * @param {{casting: Casting, onCast: (question: string, kind: string) => void}} props
 */
export function Compose({ casting, onCast }) {
  const question = useSignal(readDraft("liuyao"));
  const isLeft = useRef(false);
  useEffect(() => () => void (isLeft.current = true), []);
  const text = question.value.trim();
  const isAsked = text !== "" && countCharacters(question.value) <= limits.question_characters;
  const isAuto = casting.mode.value === "auto" && (casting.busy.value || !casting.isComplete);
  const isReady = isAsked && !casting.busy.value && (isAuto || casting.isComplete);
  /** Coins that were thrown for other words by the page are not those of this question. */
  const ask = () => casting.mode.value === "auto" && casting.isComplete && casting.clear();
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    if (!isReady) return;
    if (isAuto) await casting.throwAll();
    if (isLeft.current) return; // The coins are kept, and stand in the form when one comes back.
    onCast(text, casting.kind.value);
  };
  return html`<form class="compose" onSubmit=${submit}>
    <div class="card ask-card">
      <${QuestionField} question=${question} onChange=${ask} />
      <${KindChooser} casting=${casting} />
      <${ModeChooser} casting=${casting} />
      <div class="row">
        <button class="button primary" disabled=${!isReady}>${t(isAuto ? "cast.throw" : "cast.read")}</button>
        ${casting.busy.value && html`<button type="button" class="button" onClick=${() => casting.skip()}>${t("cast.skip")}</button>`}
        ${casting.mode.value === "auto" && casting.isComplete && !casting.busy.value && html`<button type="button" class="button plain" onClick=${() => casting.clear()}>${t("home.throw_again")}</button>`}
        ${!isAsked && html`<span class="note inline">${t(text ? "cast.shorten" : "cast.ask_first")}</span>`}
        ${isAsked && !isReady && !casting.busy.value && html`<span class="note inline">${t("cast.lines_left", { count: 6 - casting.lines.length })}</span>`}
      </div>
      ${hasAccounts && runPoints > 0 && html`<p class="note">${t("cast.price", { price: runPoints })}</p>`}
    </div>
    <div class="card"><${CastTable} casting=${casting} /></div>
  </form>`;
}
