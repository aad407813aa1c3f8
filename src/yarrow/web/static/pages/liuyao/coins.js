// Coins and the figure that grows out of their throws.

import { html } from "../../vendor/preact.js";
import { t } from "../../kit/words.js";
import { inScript } from "./script.js";
import { POSITIONS, isMoving, isYang } from "./terms.js";

/** @typedef {import("./casting.js").Casting} Casting */

/** A coin of old: round, a square hole; one side has four characters, the other a pattern. @param {{flower: boolean}} props */
export function CoinFace({ flower }) {
  return html`<svg class=${`coin-face ${flower ? "flower" : "letters"}`} viewBox="0 0 64 64" aria-hidden="true">
    <circle cx="32" cy="32" r="30" class="disc" />
    <circle cx="32" cy="32" r="26" class="rim" />
    <rect x="23" y="23" width="18" height="18" rx="1" class="hole" />
    ${
      flower
        ? html`<path class="stroke" d="M32 8c4 4 4 8 0 12c-4-4-4-8 0-12zM32 56c4-4 4-8 0-12c-4 4-4 8 0 12zM8 32c4-4 8-4 12 0c-4 4-8 4-12 0zM56 32c-4-4-8-4-12 0c4 4 8 4 12 0z" />`
        : html`<g lang="zh-Hant" class="sign"><text x="32" y="18.5">元</text><text x="32" y="54.5">通</text><text x="50" y="36.5">亨</text><text x="14" y="36.5">寳</text></g>`
    }
  </svg>`;
}

/** @param {{casting: Casting, canTurn: boolean}} props */
export function Coins({ casting, canTurn }) {
  const spinning = casting.spinning.value;
  return html`<div class=${spinning ? "coins spinning" : "coins"} role="group" aria-label=${t("cast.coins")}>
    ${casting.faces.value.map((flower, place) => {
      const label = t("cast.coin", { number: place + 1, face: t(flower ? "cast.flower" : "cast.letters") });
      const face = html`<${CoinFace} flower=${flower} />`;
      return canTurn
        ? html`<button type="button" class="coin" aria-label=${label} onClick=${() => casting.turn(place)}>${face}</button>`
        : html`<span class="coin" role="img" aria-label=${label}>${face}</span>`;
    })}
  </div>`;
}

/** @param {{yang: boolean, moving?: boolean}} props */
export function Bars({ yang, moving = false }) {
  const label = t(yang ? "board.yang" : "board.yin");
  return html`<span class=${`bars${moving ? " moving" : ""}`} role="img" aria-label=${label}>${yang ? html`<i></i>` : html`<i></i><i></i>`}</span>`;
}

/** The six places of a cast, filled from below. @param {{lines: string[]}} props */
export function Figure({ lines }) {
  return html`<ol class="figure" reversed aria-label=${t("cast.figure")}>
    ${[5, 4, 3, 2, 1, 0].map((place) => {
      const made = lines[place];
      return html`<li key=${place} class=${made ? "made" : "open"}>
        <span class="place" lang="zh">${POSITIONS[place]}</span>
        ${made ? html`<${Bars} yang=${isYang(made)} moving=${isMoving(made)} />` : html`<span class="slot"></span>`}
        <span class="move" aria-hidden="true">${made && isMoving(made) ? (isYang(made) ? "○" : "×") : ""}</span>
        <span class="made-name" lang="zh">${inScript(made ?? "")}</span>
      </li>`;
    })}
  </ol>`;
}
