// The panel beside a story: branches, the state at a floor, the prompt, the assets in use.

import { html, useEffect } from "../../vendor/preact.js";
import { loadLater } from "../../kit/client_page.js";
import { isCloseKey, isTyping } from "../../kit/keys.js";
import { t } from "../../kit/words.js";
import { changeQuery } from "./address.js";
import { IconButton } from "../../kit/icons.js";

/** Most readers of a story do not open these. */
const BranchTree = loadLater(async () => (await import("./branch_tree.js")).BranchTree);
const PromptPanel = loadLater(async () => (await import("./prompt_panel.js")).PromptPanel);
const SettingsPanel = loadLater(async () => (await import("./settings_panel.js")).SettingsPanel);
const StatePanel = loadLater(async () => (await import("./state_panel.js")).StatePanel);

const BODIES = /** @type {Record<string, any>} */ ({
  branches: BranchTree,
  state: StatePanel,
  prompt: PromptPanel,
  settings: SettingsPanel,
});

/**
 * @typedef {object} PanelProps
 * @property {import("./story.js").Story} story
 * @property {URLSearchParams} query
 * @property {import("../../vendor/preact.js").Signal<string>} draft
 * @property {(work: Promise<any>) => void} act
 */

/** Close the panel; the keyboard goes on at the button that opened it. */
function close() {
  const opener = /** @type {HTMLElement | null} */ (document.querySelector('.story-tools [aria-pressed="true"]'));
  changeQuery({ panel: "" });
  opener?.focus();
}

/** @param {PanelProps & {name: string}} props */
export function Panel({ name, ...props }) {
  const Body = BODIES[name];
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const isElsewhere = isTyping(event.target) && !(/** @type {HTMLElement} */ (event.target).closest(".panel"));
      if (isCloseKey(event) && !isElsewhere && !document.querySelector("dialog[open]")) close();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  if (!Body) return null;
  return html`<aside class="panel" aria-label=${t(`stories.panel_${name}`)}>
    <header><h2>${t(`stories.panel_${name}`)}</h2><${IconButton} name="close" label=${t("frame.close")} onClick=${close} /></header>
    <${Body} ...${props} />
  </aside>`;
}
