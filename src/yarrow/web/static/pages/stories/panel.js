// The panel beside a story: branches, the state at a floor, the prompt, the assets in use.

import { html } from "../../vendor/preact.js";
import { t } from "../../kit/words.js";
import { changeQuery } from "./address.js";
import { BranchTree } from "./branch_tree.js";
import { IconButton } from "../../kit/icons.js";
import { PromptPanel } from "./prompt_panel.js";
import { SettingsPanel } from "./settings_panel.js";
import { StatePanel } from "./state_panel.js";

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

/** @param {PanelProps & {name: string}} props */
export function Panel({ name, ...props }) {
  const Body = BODIES[name];
  if (!Body) return null;
  return html`<aside class="panel" aria-label=${t(`stories.panel_${name}`)}>
    <header><h2>${t(`stories.panel_${name}`)}</h2><${IconButton} name="close" label=${t("frame.close")} onClick=${() => changeQuery({ panel: "" })} /></header>
    <${Body} ...${props} />
  </aside>`;
}
