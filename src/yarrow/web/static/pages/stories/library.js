// The assets of one kind: search, import, make a new one.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { clickOnce } from "../../kit/keys.js";
import { ProblemNotice } from "../../kit/problems.js";
import { formatDate, formatNumber, t } from "../../kit/words.js";
import { go } from "./address.js";
import { Portrait } from "./floors.js";
import { FileDrop, storyStamp } from "./story_list.js";
import { call, findKind } from "./tavern.js";

const PAGE = 100;
const SEARCH_CHARACTERS = 200;
const MARKERS = [
  "worldInfoBefore",
  "personaDescription",
  "charDescription",
  "charPersonality",
  "scenario",
  "worldInfoAfter",
  "dialogueExamples",
  "chatHistory",
];

/** A preset that sends what a story has: without its markers, card and persona would be left out. */
function makePreset() {
  const main = { identifier: "main", role: "system", content: t("stories.new_preset_main") };
  const prompts = [main, ...MARKERS.map((identifier) => ({ identifier, marker: true }))];
  const order = prompts.map(({ identifier }) => ({ identifier, enabled: true }));
  return { temperature: 1, prompts, prompt_order: [{ character_id: 100001, order }] };
}

const EMPTY_DATA = /** @type {Record<string, (name: string) => unknown>} */ ({
  character: (name) => ({
    spec: "chara_card_v2",
    spec_version: "2.0",
    data: {
      name,
      description: "",
      personality: "",
      scenario: "",
      first_mes: "",
      mes_example: "",
      alternate_greetings: [],
      extensions: {},
    },
  }),
  preset: makePreset,
  worldbook: () => ({ entries: {} }),
  regex: () => [],
  persona: (name) => ({ name, description: "" }),
});

/** @param {{kind: string}} props */
export function Library({ kind }) {
  const { path = "" } = findKind(kind) ?? {};
  const page = useSignal(/** @type {any} */ (null));
  const words = useSignal("");
  const problem = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    const abort = new AbortController();
    const query = new URLSearchParams({ limit: String(PAGE), sort_by: "updated_at", sort_order: "desc" });
    if (words.value.trim()) query.set("search", words.value.trim());
    const timer = setTimeout(
      () => {
        request(`${path}?${query}`, { signal: abort.signal }).then(
          (found) => (page.value = found),
          (error) => abort.signal.aborted || (problem.value = error),
        );
      },
      words.value ? 250 : 0,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [kind, words.value, storyStamp.value]);
  const make = async () => {
    try {
      const name = t(`stories.new_${kind}`);
      const made = await call(path, { method: "POST", body: { name, data: EMPTY_DATA[kind](name) } });
      go(`/stories/library/${kind}/${made.id}`);
    } catch (error) {
      problem.value = error;
    }
  };
  const assets = page.value?.data ?? [];
  return html`<section class="library">
    <header class="spread row"><h1>${t(`stories.kind_${kind}`)}</h1><div class="row"><${FileDrop} opensStory=${false} /><button type="button" class="button" onClick=${clickOnce(make)}>${t("stories.make_new")}</button></div></header>
    <p class="lead">${t(`stories.about_${kind}`)}</p>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    <input type="search" class="field" dir="auto" maxlength=${SEARCH_CHARACTERS} aria-label=${t("stories.search_library")} placeholder=${t("stories.search_library")} value=${words.value} onInput=${(/** @type {any} */ event) => (words.value = event.currentTarget.value)} />
    ${!page.value && !problem.value && html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`}
    ${page.value && !assets.length && html`<p class="quiet">${t(words.value ? "chat.nothing_found" : "stories.library_empty")}</p>`}
    <ul class="list assets">${assets.map(
      (
        /** @type {any} */ asset,
      ) => html`<li key=${asset.id}><a class="asset-link" href=${`/stories/library/${kind}/${asset.id}`}>
        ${kind === "character" && html`<${Portrait} id=${asset.id} name=${asset.name} />`}
        <span class="session-title" dir="auto">${asset.name}</span><span class="session-time">${t("stories.version", { number: asset.version })} · ${formatDate(new Date(asset.updated_at))}</span></a></li>`,
    )}</ul>
    ${page.value?.meta.has_more && html`<p class="note">${t("stories.library_more", { count: formatNumber(page.value.meta.total), shown: assets.length })}</p>`}
  </section>`;
}
