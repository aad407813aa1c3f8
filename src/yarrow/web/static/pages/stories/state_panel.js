// Variables and session state as a floor left them, and how two floors differ.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { ProblemNotice } from "../../kit/problems.js";
import { t } from "../../kit/words.js";
import { changeQuery } from "./address.js";
import { call } from "./tavern.js";

/** @param {unknown} value */
export const show = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** @param {{title: string, entries: [string, unknown][], before?: Map<string, unknown>}} props */
function Values({ title, entries, before }) {
  return html`<h3>${title}</h3>
    ${entries.length ? html`<dl class="values">${entries.map(([key, value]) => html`<div class=${before && show(before.get(key)) !== show(value) ? "changed" : ""}><dt>${key}</dt><dd><code>${show(value)}</code></dd></div>`)}</dl>` : html`<p class="quiet small">${t("stories.nothing_stored")}</p>`}`;
}

/** @param {string} floorId @param {string} sessionId */
async function loadState(floorId, sessionId) {
  const [explained, values] = await Promise.all([
    call(`/floors/${floorId}/prompt-runtime/explain`),
    call(`/sessions/${sessionId}/state/resolve?source_floor_id=${floorId}`).catch(() => []),
  ]);
  const slots = values.filter((/** @type {any} */ each) => each.present);
  return {
    variables: /** @type {Record<string, unknown> | null} */ (explained.variables),
    writes: explained.staged_writes,
    slots: new Map(slots.map((/** @type {any} */ each) => [`${each.namespace} / ${each.slot}`, each.value])),
  };
}

/** @param {{changes: any[]}} props */
export function Changes({ changes }) {
  return html`<ul class="changes">${changes.map(
    (change) => html`<li class=${change.change_type}><code class="path">${change.path}</code>
      ${change.change_type !== "added" && html`<del dir="auto">${show(change.left)}</del>`}
      ${change.change_type !== "removed" && html`<ins dir="auto">${show(change.right)}</ins>`}</li>`,
  )}</ul>`;
}

const PARTS = ["message", "asset", "policy", "governance", "trim", "exclusion", "diagnostics"];

/** @param {{story: import("./story.js").Story, left: string, right: string}} props */
function Comparison({ story, left, right }) {
  const found = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    found.value = problem.value = null;
    const body = { left: { floor_id: left }, right: { floor_id: right } };
    call(`/sessions/${story.id}/prompt-runtime/compare`, { method: "POST", body }).then(
      (data) => (found.value = data),
      (error) => (problem.value = error),
    );
  }, [left, right]);
  if (problem.value) return html`<${ProblemNotice} problem=${problem.value} />`;
  if (!found.value) return html`<div aria-hidden="true"><span class="shape"></span></div>`;
  const parts = PARTS.filter((part) => found.value[`${part}_changes`].length);
  return html`${found.value.limitations.map((/** @type {string} */ text) => html`<p class="note" lang="en">${text}</p>`)}
    ${!parts.length && html`<p class="quiet small">${t("stories.same")}</p>`}
    ${parts.map((part) => html`<h3>${t(`stories.changed_${part}`)}</h3><${Changes} changes=${found.value[`${part}_changes`]} />`)}`;
}

/** @param {import("./panel.js").PanelProps} props */
export function StatePanel({ story, query }) {
  const floors = story.floors.value;
  const floor = floors.find((each) => each.id === query.get("floor")) ?? floors.at(-1);
  const against = query.get("against") ?? "";
  const state = useSignal(/** @type {any} */ (null));
  const before = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    state.value = before.value = problem.value = null;
    if (!floor) return;
    loadState(floor.id, story.id).then(
      (found) => (state.value = found),
      (error) => (problem.value = error),
    );
    if (against)
      loadState(against, story.id)
        .then((found) => (before.value = found))
        .catch(() => undefined);
  }, [floor?.id, floor?.updated_at, against]);
  if (!floor) return html`<p class="quiet">${t("stories.no_floors")}</p>`;
  const known = state.value;
  return html`<label><span class="label">${t("stories.stand_on")}</span>
      <select class="field" onChange=${(/** @type {any} */ event) => changeQuery({ floor: event.currentTarget.value })}>${floors.map((each) => html`<option value=${each.id} selected=${each.id === floor.id}>${t("stories.floor", { number: each.floor_no })}</option>`)}</select></label>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${known && (known.variables ? html`<${Values} title=${t("stories.variables")} entries=${Object.entries(known.variables)} before=${before.value && new Map(Object.entries(before.value.variables ?? {}))} />` : html`<p class="note">${t("stories.state_unknown")}</p>`)}
    ${known?.slots.size > 0 && html`<${Values} title=${t("stories.session_state")} entries=${[...known.slots]} before=${before.value?.slots} />`}
    ${known?.writes.length > 0 && html`<h3>${t("stories.written_here")}</h3><ul class="changes">${known.writes.map((/** @type {any} */ write) => html`<li><code class="path">${write.key}</code> ${write.kind === "delete" ? html`<del>${t("stories.deleted_value")}</del>` : html`<ins>${show(write.value)}</ins>`}</li>`)}</ul>`}
    <label><span class="label">${t("stories.compare_with")}</span>
      <select class="field" onChange=${(/** @type {any} */ event) => changeQuery({ against: event.currentTarget.value, floor: floor.id })}><option value="" selected=${!against}>${t("stories.nothing_bound")}</option>${floors.filter((each) => each.id !== floor.id).map((each) => html`<option value=${each.id} selected=${each.id === against}>${t("stories.floor", { number: each.floor_no })}</option>`)}</select></label>
    ${against && html`<${Comparison} story=${story} left=${against} right=${floor.id} />`}`;
}
