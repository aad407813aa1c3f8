// The reading: its sign, the answer as it streams, and sentences that point at the lines they rest on.

import { html } from "../../vendor/preact.js";
import { pageData } from "../../kit/page_data.js";
import { guessLanguage, t } from "../../kit/words.js";
import { inScript } from "./script.js";

/**
 * @typedef {import("./board.js").Pointing} Pointing
 * @typedef {{rules: string[], lines: number[]}} Basis
 */

const LEVELS = ["上上签", "中上签", "中下签", "下下签"];

const LISTS = /** @type {const} */ (["conclusion", "focus_points", "advice"]);

/** @param {{level: string, keywords: string[]}} props */
function Sign({ level, keywords }) {
  return html`<header class="sign">
    ${level && html`<p class="sign-level" lang="zh">${inScript(level)}</p>`}
    <div>
      ${LEVELS.includes(level) && pageData.language === "en" && html`<p class="sign-rank">${t(`reading.level_${LEVELS.indexOf(level) + 1}`)}</p>`}
      <ul class="keywords" lang="zh">${keywords.map((word) => html`<li>${word}</li>`)}</ul>
    </div>
  </header>`;
}

/** A rule of the books; the other ones are keys of the table of advice. @param {string} rule */
const hasName = (rule) => /\p{Script=Han}/u.test(rule);

/** @param {{text: string, basis: Basis | undefined, pointing: Pointing, sources: Record<string, string>}} props */
function Sentence({ text, basis, pointing, sources }) {
  const lines = basis?.lines ?? [];
  const rules = (basis?.rules ?? []).filter(hasName);
  const isUsed = pointing.line.value > 0 && lines.includes(pointing.line.value);
  const isLit = lines.length > 0 && pointing.lines.value === lines;
  const point = () => (pointing.lines.value = lines);
  const release = () => (pointing.lines.value = []);
  return html`<li class=${`sentence${isUsed ? " used" : ""}${isLit ? " lit" : ""}`} onMouseEnter=${point} onMouseLeave=${release}>
    <button type="button" onFocus=${point} onBlur=${release} lang=${guessLanguage(text)}>${text}</button>
    ${
      rules.length > 0 &&
      html`<p class="rules" lang="zh">${rules.map((rule) => html`<span>${rule}${sources[rule] && html`<cite>${sources[rule]}</cite>`}</span>`)}</p>`
    }
  </li>`;
}

/** Books by rule. @param {any} explained @returns {Record<string, string>} */
function readSources(explained) {
  return Object.fromEntries((explained?.points ?? []).map((/** @type {any} */ point) => [point.rule, point.basis]));
}

/**
 * @param {{text: string, streaming: boolean, output: any, explained: any, pointing: Pointing}} props
 */
export function ReadingText({ text, streaming, output, explained, pointing }) {
  const sources = readSources(explained);
  const isWithheld = explained?.score === null; // The protocol wants a level there; it says nothing.
  return html`<article class="reading">
    ${output?.sign_level && html`<${Sign} level=${isWithheld ? "" : output.sign_level} keywords=${(output.keywords ?? []).filter((/** @type {string} */ word) => word !== output.sign_level)} />`}
    <p class=${streaming ? "answer caret" : "answer"} lang=${guessLanguage(text)} dir="auto">${text}</p>
    ${LISTS.map((name) => {
      const sentences = output?.[name] ?? [];
      if (!sentences.length) return null;
      return html`<section key=${name}>
        <h2>${t(`reading.${name}`)}</h2>
        <ul class="sentences">
          ${sentences.map(
            (/** @type {string} */ sentence, /** @type {number} */ place) =>
              html`<${Sentence} key=${place} text=${sentence} basis=${explained?.statements?.[name]?.[place]} pointing=${pointing} sources=${sources} />`,
          )}
        </ul>
      </section>`;
    })}
  </article>`;
}
