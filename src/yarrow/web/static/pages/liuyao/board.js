// The board: two hexagrams line by line as tables, with what the moment does to each line.

import { html } from "../../vendor/preact.js";
import { pageData } from "../../kit/page_data.js";
import { t } from "../../kit/words.js";
import { BoardExtras, CastFacts, markLine } from "./board_extras.js";
import { Bars } from "./coins.js";
import { classicInScript, inScript } from "./script.js";
import { POSITIONS, findStem, nameSpirit } from "./terms.js";

const ELEMENTS = [..."木火土金水"];

/**
 * @typedef {Record<string, any>} Divination as `DIVINATION_DERIVED` has it
 * @typedef {object} Pointing what the reader points at, as signals
 * @property {import("../../vendor/preact.js").Signal<number[]>} lines that a sentence rests on
 * @property {import("../../vendor/preact.js").Signal<number>} line that is pointed at, 0 for none
 */

/** @param {Divination} divination @param {Record<string, any>} info @param {string} binary */
function labelLine(divination, info, binary) {
  const stem = info.stemName ?? findStem(binary, info.position);
  return inScript(`${info.relationName}${stem}${info.tiganName}${info.elementName}`);
}

/** @param {{label: string, value: string, tone?: string}} props */
function Value({ label, value, tone = "" }) {
  return html`<div class="value"><dt>${label}</dt><dd class=${tone} lang="zh">${value}</dd></div>`;
}

/** @param {{divination: Divination}} props */
function Moment({ divination }) {
  const { ganzhi } = divination;
  return html`<div class="moment">
    <dl class="pillars">
      <${Value} label=${t("board.year")} value=${ganzhi.yearGanZhi} tone="large" />
      <${Value} label=${t("board.month")} value=${ganzhi.monthGanZhi} tone="large" />
      <${Value} label=${t("board.day")} value=${ganzhi.dayGanZhi} tone="large" />
      <${Value} label=${t("board.hour")} value=${ganzhi.timeGanZhi} tone="large" />
      <${Value} label=${t("board.void")} value=${ganzhi.dayKongWang} tone="large gold" />
    </dl>
    <dl class="rulers">
      <${Value} label=${t("board.month_ruler")} value=${ganzhi.yueJian} />
      <${Value} label=${t("board.day_ruler")} value=${ganzhi.riChen} />
      <${Value} label=${t("board.month_break")} value=${ganzhi.yuePo} />
      <${Value} label=${t("board.day_clash")} value=${ganzhi.riChong} />
    </dl>
  </div>`;
}

/** @param {{mark: string}} props */
const Seal = ({ mark }) => (mark ? html`<span class="seal">${inScript(mark)}</span>` : null);

/**
 * @param {{divination: Divination, info: Record<string, any>, pointing: Pointing, shown: number}} props
 */
function BaseRow({ divination, info, pointing, shown }) {
  const { position } = info;
  const hidden = divination.fushenInfoList?.find((/** @type {any} */ each) => each.position === position);
  const season = divination.wuXingStatuses?.[info.elementName] ?? "";
  const marks = markLine(divination, info);
  const hiddenName = hidden && `${hidden.relationName}${hidden.stemName ?? ""}${hidden.tiganName}${hidden.elementName}`;
  return html`<tr
    class=${rowClass(info, pointing, shown)}
    onMouseEnter=${() => (pointing.line.value = position)}
    onMouseLeave=${() => (pointing.line.value = 0)}
  >
    <th scope="row"><button type="button" class="line-name" lang="zh" onFocus=${() => (pointing.line.value = position)} onBlur=${() => (pointing.line.value = 0)} aria-describedby="line-detail">
      <span class="spirit">${inScript(nameSpirit(info.spiritName))}</span><span class="unseen">${POSITIONS[position - 1]}</span>
    </button></th>
    <td class="hidden-spirit" lang="zh">${hiddenName && inScript(hiddenName)}</td>
    <td class="line-label" lang="zh">${labelLine(divination, info, divination.binaryCode)}</td>
    <td><${Bars} yang=${info.isYang} moving=${info.isChanging} /></td>
    <td class="move" lang="zh">${info.isChanging ? (info.isYang ? "○" : "×") : ""}<span class="unseen">${info.isChanging ? t("board.moving") : ""}</span></td>
    <td class="mark" lang="zh"><${Seal} mark=${info.specialMark} /></td>
    <td class="notes" lang="zh"><span class="season">${season}</span>${marks.map((/** @type {any} */ mark) => html`<span class=${`tag ${mark.tone}`} title=${mark.name} aria-label=${mark.name} role="img">${mark.sign}</span>`)}</td>
  </tr>`;
}

/** @param {Record<string, any>} info @param {Pointing} pointing @param {number} shown */
function rowClass(info, pointing, shown) {
  const classes = [];
  if (info.isChanging) classes.push("changing");
  if (pointing.lines.value.includes(info.position)) classes.push("lit");
  if (pointing.line.value === info.position) classes.push("pointed");
  if (info.position > shown) classes.push("later");
  return classes.join(" ");
}

/** @param {{divination: Divination, info: Record<string, any>, pointing: Pointing, shown: number}} props */
function TargetRow({ divination, info, pointing, shown }) {
  return html`<tr class=${rowClass(info, pointing, shown)} onMouseEnter=${() => (pointing.line.value = info.position)} onMouseLeave=${() => (pointing.line.value = 0)}>
    <th scope="row" class="line-label" lang="zh">${labelLine(divination, info, divination.changedBinaryCode)}</th>
    <td><${Bars} yang=${info.isYang} moving=${info.isChanging} /></td>
    <td class="mark" lang="zh"><${Seal} mark=${info.specialMark} /></td>
  </tr>`;
}

/** @param {{name: string, about: string}} props */
const Name = ({ name, about }) => html`<caption><strong lang="zh">${name}</strong><span>${about}</span></caption>`;

/** What is known of the line that is pointed at. @param {{divination: Divination, pointing: Pointing}} props */
function LineDetail({ divination, pointing }) {
  const position = pointing.line.value || pointing.lines.value[0] || 0;
  const name = POSITIONS[position - 1] ?? "";
  const about = (divination.interactions ?? []).filter((/** @type {string} */ each) => name && each.includes(name));
  const growth = divination.riChenZhangSheng?.[position - 1]?.split("：")[1] ?? "";
  return html`<div id="line-detail" class="line-detail" lang="zh" aria-live="off">
    ${
      position
        ? html`<p><strong>${inScript(divination.timeEffect?.[position - 1] ?? name)}</strong>${growth && html`<span class="quiet growth"><span lang=${pageData.language}>${t("board.growth")}</span> ${inScript(growth)}</span>`}</p>
            ${divination.yaoCi?.[position - 1] && html`<p class="old-text">${classicInScript(divination.yaoCi[position - 1])}</p>`}
            ${about.map((/** @type {string} */ each) => html`<p class="quiet">${inScript(each)}</p>`)}`
        : html`<p class="quiet" lang=${pageData.language}>${t("board.point")}</p>`
    }
  </div>`;
}

/**
 * The whole board. `shown` is how many lines from below are visible yet.
 * @param {{divination: Divination, pointing: Pointing, shown?: number}} props
 */
export function Board({ divination, pointing, shown = 6 }) {
  const base = [...divination.yaoInfoList].reverse();
  const target = [...(divination.targetYaoInfoList ?? [])].reverse();
  const seasons = ELEMENTS.map((element) => [element, divination.wuXingStatuses?.[element] ?? ""]);
  const hasHidden = (divination.fushenInfoList ?? []).length > 0;
  return html`<figure class=${hasHidden ? "board" : "board no-hidden"} aria-label=${t("board.title")}>
    <figcaption>
      <p class="asked" dir="auto">${divination.question}</p>
      <${CastFacts} divination=${divination} />
    </figcaption>
    <${Moment} divination=${divination} />
    <div class="hexagrams">
      <table class="base">
        <${Name} name=${inScript(divination.guaName)} about=${`${t("board.base")} ${inScript(divination.palaceName ?? "")}`} />
        <thead class="unseen"><tr><th scope="col">${t("board.spirit")}</th><th scope="col">${t("board.hidden")}</th><th scope="col">${t("board.line")}</th><th scope="col">${t("board.figure")}</th><th scope="col">${t("board.move")}</th><th scope="col">${t("board.self_other")}</th><th scope="col">${t("board.notes")}</th></tr></thead>
        <tbody>${base.map((info) => html`<${BaseRow} key=${info.position} divination=${divination} info=${info} pointing=${pointing} shown=${shown} />`)}</tbody>
      </table>
      ${
        divination.hasChangingYao
          ? html`<table class="target">
              <${Name} name=${inScript(divination.targetGuaName ?? "")} about=${`${t("board.target")} ${inScript(divination.targetPalaceName ?? "")}`} />
              <thead class="unseen"><tr><th scope="col">${t("board.line")}</th><th scope="col">${t("board.figure")}</th><th scope="col">${t("board.self_other")}</th></tr></thead>
              <tbody>${target.map((info) => html`<${TargetRow} key=${info.position} divination=${divination} info=${info} pointing=${pointing} shown=${shown} />`)}</tbody>
            </table>`
          : html`<p class="still quiet">${t("board.still")}</p>`
      }
    </div>
    <div class="board-foot" lang="zh">
      <span>${inScript((divination.specialStatus ?? []).join(" · "))}</span>
      <span>${seasons.map(([element, season]) => `${element}${season}`).join("　")}</span>
    </div>
    <${LineDetail} divination=${divination} pointing=${pointing} />
    <${BoardExtras} divination=${divination} />
  </figure>`;
}
