// Which assets a story uses, and how its prompts are made.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { ProblemNotice } from "../../kit/problems.js";
import { request } from "../../kit/api.js";
import { formatNumber, t } from "../../kit/words.js";
import { storyStamp } from "./story_list.js";
import { KINDS, call, download } from "./tavern.js";

const BINDINGS = /** @type {Record<string, string>} */ ({
  character: "character_id",
  persona: "user_id",
  preset: "preset_id",
  worldbook: "worldbook_profile_id",
  regex: "regex_profile_id",
});
/** Their names among the assets of the next prompt. */
const BOUND = /** @type {Record<string, string>} */ ({
  character: "character",
  persona: "user",
  preset: "preset",
  worldbook: "worldbook",
  regex: "regex_profile",
});
const PAGE = 200;
const LEFT_OUT = ["replies", "states", "memories"];
const MODES = ["compat_strict", "compat_plus", "native"];

/** All assets of a kind. @param {string} path */
async function loadChoices(path) {
  /** @type {any[]} */
  const assets = [];
  for (;;) {
    const page = await request(`${path}?limit=${PAGE}&offset=${assets.length}&sort_by=name&sort_order=asc`);
    assets.push(...page.data);
    if (!page.meta.has_more || !page.data.length) return assets;
  }
}

/** The button that exports a branch, and what its file does not have. @param {{story: import("./story.js").Story, onProblem: (error: any) => void}} props */
function ExportButton({ story, onProblem }) {
  const note = useSignal("");
  const save = async () => {
    note.value = "";
    const name = `${story.session.value.title || "story"}.jsonl`;
    const headers = await download(`/export/chat/${story.id}?branch_id=${encodeURIComponent(story.branch)}`, name);
    const counts = LEFT_OUT.map((what) => ({ what, count: Number(headers.get(`x-${what}-left-out`)) }));
    const parts = counts
      .filter(({ count }) => count)
      .map(({ what, count }) => t(`stories.export_${what}`, { count: formatNumber(count) }));
    note.value = parts.length ? t("stories.export_left_out", { parts: parts.join(" · ") }) : t("stories.export_whole");
  };
  return html`<button type="button" class="button" onClick=${() => save().catch(onProblem)}>${t("stories.export_chat")}</button>
    <p class="note" role="status">${note.value}</p>`;
}

/** @param {import("./panel.js").PanelProps} props */
export function SettingsPanel({ story }) {
  const session = story.session.value;
  const choices = useSignal(/** @type {Record<string, any[]>} */ ({}));
  const problem = useSignal(/** @type {any} */ (null));
  const inUse = useSignal(/** @type {any} */ ({}));
  useEffect(() => {
    call(`/sessions/${story.id}/prompt-runtime/assets`).then(
      (assets) => (inUse.value = assets),
      () => undefined, // A deleted asset is shown by its id then.
    );
    for (const kind of KINDS)
      loadChoices(kind.path).then(
        (assets) => (choices.value = { ...choices.value, [kind.name]: assets }),
        (error) => (problem.value = error),
      );
  }, []);
  /** @param {Promise<void>} work */
  const act = (work) => {
    problem.value = null;
    work.then(
      () => (storyStamp.value += 1),
      (error) => (problem.value = error),
    );
  };
  /** @param {Record<string, unknown>} fields */
  const change = (fields) => act(story.change(fields));
  return html`<div class="settings">
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${Object.entries(BINDINGS).map(([kind, field]) => {
      const assets = choices.value[kind] ?? [];
      const bound = session[field] ?? "";
      const newest = assets.find((each) => each.id === bound)?.version;
      const used = inUse.value[BOUND[kind]];
      const name =
        used?.id !== bound ? bound : used.deleted ? t("stories.deleted_asset", { name: used.name }) : used.name;
      return html`<label><span class="label">${t(`stories.one_${kind}`)}</span>
        <select class="field" value=${bound} onChange=${(/** @type {any} */ event) => change({ [field]: event.currentTarget.value || null })}>
          <option value="" selected=${!bound}>${t("stories.nothing_bound")}</option>
          ${bound && !assets.some((each) => each.id === bound) && html`<option value=${bound} selected>${name}</option>`}
          ${assets.map((each) => html`<option key=${each.id} value=${each.id} selected=${each.id === bound}>${each.name}</option>`)}
        </select></label>
        ${bound && html`<a class="small" href=${`/stories/library/${kind}/${bound}`}>${t("stories.open_asset")}</a>`}
        ${kind === "character" && newest > session.character_version && html`<p class="note">${t("stories.older_version", { number: session.character_version, newest })} <button type="button" class="button plain" onClick=${() => act(story.syncCharacter())}>${t("stories.take_newest")}</button></p>`}`;
    })}
    <label class="check"><input type="checkbox" checked=${session.deep_binding} onChange=${(/** @type {any} */ event) => change({ deep_binding: event.currentTarget.checked })} /><span>${t("stories.deep_binding")}</span></label>
    <label><span class="label">${t("stories.mode")}</span><select class="field" onChange=${(/** @type {any} */ event) => change({ prompt_mode: event.currentTarget.value })}>${MODES.map((mode) => html`<option value=${mode} selected=${(session.prompt_mode ?? "compat_strict") === mode}>${t(`stories.mode_${mode}`)}</option>`)}</select></label>
    <${ExportButton} key=${story.branch} story=${story} onProblem=${(/** @type {any} */ error) => (problem.value = error)} />
  </div>`;
}
