// What stands beside the lines where the server sends it: calendar, 神煞, other hexagrams, the old texts.

import { html } from "../../vendor/preact.js";
import { formatDate, t } from "../../kit/words.js";
import { classicInScript, inScript } from "./script.js";
import { KINDS, MARKS, METHODS, POSITIONS, readMoment } from "./terms.js";

/** @typedef {Record<string, any>} Divination */

/** Marks of a line: the server's own, else those that follow from the pillars. @param {Divination} divination @param {Record<string, any>} info */
export function markLine(divination, info) {
  const given = divination.yaoMarks?.[info.position - 1];
  if (given)
    return given.map((/** @type {string} */ name) => ({
      sign: inScript(MARKS[name]?.[0] ?? name),
      name: inScript(name),
      tone: MARKS[name]?.[1] ?? "",
    }));
  const { ganzhi, timeEffect = [] } = divination;
  const effect = timeEffect[info.position - 1] ?? "";
  const names = [];
  if (ganzhi.dayKongWang.includes(info.tiganName)) names.push("旬空");
  if (ganzhi.yuePo.startsWith(info.tiganName)) names.push("月破");
  if (effect.includes("暗动")) names.push("暗动");
  return names.map((name) => ({ sign: MARKS[name][0], name: inScript(name), tone: MARKS[name][1] }));
}

/** The key of a value on the wire. @param {Record<string, string>} values @param {string} value */
const findKey = (values, value) => Object.keys(values).find((key) => values[key] === value);

/** What was asked about, and how and when it was cast. @param {{divination: Divination}} props */
export function CastFacts({ divination }) {
  const { questionType, divinationMethod, divinationTime, nongLi, jieQi } = divination;
  const kind = findKey(KINDS, questionType);
  const method = findKey(METHODS, divinationMethod);
  const moment = readMoment(divinationTime);
  const facts = [
    kind ? t(`kind.${kind}`) : inScript(questionType),
    method ? t(`method.${method}`) : inScript(divinationMethod),
    moment ? formatDate(moment) : divinationTime,
  ];
  const calendar = [nongLi, jieQi?.name].filter(Boolean).join(" · ");
  return html`<p class="about">${facts.join(" · ")}${calendar && html` · <span lang="zh">${inScript(calendar)}</span>`}</p>`;
}

/** @param {number[]} positions */
const namePlaces = (positions) =>
  positions.length ? `（${positions.map((position) => POSITIONS[position - 1]).join("、")}）` : "";

/** @param {{label: string, value: string}} props */
const Fact = ({ label, value }) => (value ? html`<div><dt>${label}</dt><dd lang="zh">${value}</dd></div>` : null);

/** @param {{divination: Divination}} props */
export function BoardExtras({ divination }) {
  const { shenSha = [], guaShen, guaCi, targetGuaCi, huGua, cuoGua, zongGua } = divination;
  if (!guaCi && !shenSha.length) return null;
  const stars = shenSha.map(
    (/** @type {any} */ star) => `${star.name} ${star.branches.join("")}${namePlaces(star.positions)}`,
  );
  return html`<details class="extras"><summary>${t("board.extras")}</summary>
    <dl>
      <${Fact} label=${t("board.judgement")} value=${classicInScript(guaCi ?? "")} />
      <${Fact} label=${t("board.target_judgement")} value=${classicInScript(targetGuaCi ?? "")} />
      <${Fact} label=${t("board.stars")} value=${inScript(stars.join("　"))} />
      <${Fact} label=${t("board.body")} value=${guaShen ? inScript(`${guaShen.name}${namePlaces(guaShen.positions)}`) : ""} />
      <${Fact} label=${t("board.mutual")} value=${inScript(huGua ?? "")} />
      <${Fact} label=${t("board.opposite")} value=${inScript(cuoGua ?? "")} />
      <${Fact} label=${t("board.reversed")} value=${inScript(zongGua ?? "")} />
    </dl>
  </details>`;
}
