// Which other tables a question is about, besides the one that is shown.

import { html, signal } from "../../vendor/preact.js";
import { formatNumber, t } from "../../kit/words.js";

const MOST = 49; // Of 50 that a question may have, the one that is shown is the first.

const also = signal(/** @type {ReadonlySet<string>} */ (new Set()));

/** The tables of a question, the shown one first. @param {string} chosen @param {any[]} tables */
export const listAsked = (chosen, tables) => [
  ...(chosen ? [chosen] : []),
  ...tables.map(({ name }) => name).filter((name) => name !== chosen && also.value.has(name)),
];

/** @param {string} name */
function turn(name) {
  const names = new Set(also.value);
  if (!names.delete(name)) names.add(name);
  also.value = names;
}

/** @param {{chosen: string, tables: any[]}} props */
export function AlsoTables({ chosen, tables }) {
  const others = tables.filter(({ name }) => name !== chosen).slice(0, MOST);
  if (!others.length) return null;
  const count = listAsked(chosen, others).length - 1;
  return html`<details class="also"><summary>${count ? t("data.also_count", { count: formatNumber(count) }) : t("data.also")}</summary>
    <fieldset class="row"><legend class="unseen">${t("data.also")}</legend>
      ${others.map(({ name }) => html`<label class="chip" key=${name}><input type="checkbox" checked=${also.value.has(name)} onChange=${() => turn(name)} /><span dir="auto">${name}</span></label>`)}
    </fieldset>
  </details>`;
}
