// The stories of the account, and how one begins: a character's card, or an example.

import { html, signal, useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { useDeletion } from "../../kit/deletion.js";
import { ListProblem, SignedOutNotice } from "../../kit/problems.js";
import { formatRecent, t } from "../../kit/words.js";
import { go } from "./address.js";
import { IconButton } from "../../kit/icons.js";
import { clickOnce } from "../../kit/keys.js";
import { call, importContent, importFile } from "./tavern.js";

/** Raised by whatever changes the list of stories. */
export const storyStamp = signal(0);
/** The files that could not be imported; without a name where there was only one. */
export const importProblems = signal(/** @type {{name: string, problem: any}[]} */ ([]));
const importing = signal(false);

/** Import files one after the other; a character opens a story. @param {File[]} files @param {boolean} opensStory */
export async function importFiles(files, opensStory) {
  importProblems.value = [];
  importing.value = true;
  for (const file of files) {
    try {
      const made = await importFile(file, opensStory);
      storyStamp.value += 1;
      go(made.session ? `/stories/${made.session}` : `/stories/library/${made.kind}/${made.id}`);
    } catch (problem) {
      const name = files.length > 1 ? file.name : "";
      importProblems.value = [...importProblems.value, { name, problem }];
    }
  }
  importing.value = false;
}

/** A character that is at hand without a file. */
function makeExample() {
  return {
    spec: "chara_card_v2",
    spec_version: "2.0",
    data: {
      name: t("stories.example_name"),
      description: t("stories.example_description"),
      personality: t("stories.example_personality"),
      scenario: t("stories.example_scenario"),
      first_mes: t("stories.example_greeting_1"),
      alternate_greetings: [t("stories.example_greeting_2"), t("stories.example_greeting_3")],
      mes_example: "",
      tags: [],
      extensions: {},
      character_book: {
        entries: [
          {
            keys: t("stories.example_lore_keys").split(" "),
            content: t("stories.example_lore"),
            enabled: true,
            insertion_order: 10,
            extensions: {},
          },
        ],
      },
    },
  };
}

async function beginExample() {
  importProblems.value = [];
  try {
    const made = await importContent(makeExample(), "", true);
    storyStamp.value += 1;
    go(`/stories/${made.session}`);
  } catch (problem) {
    importProblems.value = [{ name: "", problem }];
  }
}

/** @param {{opensStory: boolean}} props */
export function FileDrop({ opensStory }) {
  /** @param {any} event */
  const change = (event) => {
    void importFiles([...event.currentTarget.files], opensStory);
    event.currentTarget.value = "";
  };
  return html`<label class="button primary file-button"><input type="file" multiple accept=".png,.json,.jsonl" onChange=${change} />${t(importing.value ? "stories.importing" : "stories.choose_file")}</label>`;
}

/** The newest stories, the running ones marked: a story without turns is only in the first list. */
async function loadStories() {
  const [stories, active] = await Promise.all([
    call("/sessions?limit=100"),
    request("/api/v1/sessions?agent=storyteller&limit=100"),
  ]);
  const running = new Set(active.sessions.flatMap((/** @type {any} */ each) => (each.running ? [each.id] : [])));
  return stories.map((/** @type {any} */ story) => ({ ...story, running: running.has(story.id) }));
}

/** @param {{current: string}} props */
export function StoryList({ current }) {
  const stories = useSignal(/** @type {any[] | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const words = useSignal("");
  const load = () => {
    problem.value = null;
    loadStories().then(
      (found) => (stories.value = found),
      (error) => (problem.value = error),
    );
  };
  useEffect(load, [storyStamp.value]);
  const { isDoomed, remove, notice } = useDeletion({
    erase: (id, options) => request(`/sessions/${id}`, { method: "DELETE", ...options }),
    onDeleted: (id) => {
      storyStamp.value += 1;
      if (location.pathname === `/stories/${id}`) go("/stories");
    },
    onProblem: (error) => (problem.value = error),
  });
  const wanted = words.value.trim().toLowerCase();
  const shown = (stories.value ?? []).filter(
    (each) => !isDoomed(each.id) && (each.title ?? "").toLowerCase().includes(wanted),
  );
  return html`<div class="sidebar-body">
    ${(stories.value?.length ?? 0) > 5 && html`<input type="search" class="field" aria-label=${t("stories.search")} placeholder=${t("stories.search")} value=${words.value} onInput=${(/** @type {any} */ event) => (words.value = event.currentTarget.value)} />`}
    ${notice}
    <${ListProblem} problem=${problem.value} onRetry=${load} />
    ${stories.value && !shown.length && html`<p class="quiet small">${t(wanted ? "chat.nothing_found" : "stories.none_yet")}</p>`}
    <ul class="list">${shown.map(
      (story) => html`<li key=${story.id} class="past">
        <a href=${`/stories/${story.id}`} aria-current=${story.id === current ? "page" : undefined}>
          <span class="session-title" dir="auto">${story.running && html`<span class="running-mark"></span>`}${story.title || t("history.untitled")}</span>
          <time class="session-time" datetime=${new Date(story.updated_at).toISOString()}>${formatRecent(new Date(story.updated_at).toISOString())}</time>
        </a>
        <${IconButton} name="close" label=${t("chat.delete", { title: story.title || t("history.untitled") })} onClick=${() => remove(story.id)} />
      </li>`,
    )}</ul>
  </div>`;
}

/** The first view: what stories are, and the ways to begin one. */
export const Welcome = () =>
  html`<div class="welcome"><h1>${t("stories.title")}</h1><p class="lead">${t("stories.lead")}</p><${SignedOutNotice} />
    <div class="drop card"><p>${t("stories.drop")}</p><div class="row"><${FileDrop} opensStory=${true} /><button type="button" class="button" onClick=${clickOnce(beginExample)}>${t("stories.example")}</button></div></div>
    <ul class="ways">${["inspect", "branch", "files"].map((way) => html`<li><h2>${t(`stories.way_${way}`)}</h2><p>${t(`stories.way_${way}_note`)}</p></li>`)}</ul></div>`;
