// What stands beside the lines where the server sends it: calendar, 神煞, other hexagrams, the old texts.

import { html } from "../../vendor/preact.js";
import { t } from "../../kit/words.js";
import { MARKS, POSITIONS } from "./terms.js";

/** @typedef {Record<string, any>} Divination */

/** Marks of a line: the server's own, else those that follow from the pillars. @param {Divination} divination @param {Record<string, any>} info */
export function markLine(divination, info) {
  const given = divination.yaoMarks?.[info.position - 1];
  if (given)
    return given.map((/** @type {string} */ name) => ({
      sign: MARKS[name]?.[0] ?? name,
      name,
      tone: MARKS[name]?.[1] ?? "",
    }));
  const { ganzhi, timeEffect = [] } = divination;
  const effect = timeEffect[info.position - 1] ?? "";
  const names = [];
  if (ganzhi.dayKongWang.includes(info.tiganName)) names.push("旬空");
  if (ganzhi.yuePo.startsWith(info.tiganName)) names.push("月破");
  if (effect.includes("暗动")) names.push("暗动");
  return names.map((name) => ({ sign: MARKS[name][0], name, tone: MARKS[name][1] }));
}

/** @param {Divination} divination */
export function describeCalendar({ nongLi, jieQi }) {
  return [nongLi, jieQi?.name].filter(Boolean).join(" · ");
}

/** @param {number[]} positions */
const namePlaces = (positions) =>
  positions.length ? `（${positions.map((position) => POSITIONS[position - 1]).join("、")}）` : "";

/** @param {{label: string, value: string}} props */
const Fact = ({ label, value }) => (value ? html`<div><dt>${label}</dt><dd>${value}</dd></div>` : null);

/** @param {{divination: Divination}} props */
export function BoardExtras({ divination }) {
  const { shenSha = [], guaShen, guaCi, targetGuaCi, huGua, cuoGua, zongGua } = divination;
  if (!guaCi && !shenSha.length) return null;
  const stars = shenSha.map(
    (/** @type {any} */ star) => `${star.name} ${star.branches.join("")}${namePlaces(star.positions)}`,
  );
  return html`<details class="extras"><summary>${t("board.extras")}</summary>
    <dl lang="zh">
      <${Fact} label=${t("board.judgement")} value=${guaCi} />
      <${Fact} label=${t("board.target_judgement")} value=${targetGuaCi} />
      <${Fact} label=${t("board.stars")} value=${stars.join("　")} />
      <${Fact} label=${t("board.body")} value=${guaShen ? `${guaShen.name}${namePlaces(guaShen.positions)}` : ""} />
      <${Fact} label=${t("board.mutual")} value=${huGua} />
      <${Fact} label=${t("board.opposite")} value=${cuoGua} />
      <${Fact} label=${t("board.reversed")} value=${zongGua} />
    </dl>
  </details>`;
}
