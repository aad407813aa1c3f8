// Stories: the library, and stories told with it.

import { html } from "../../vendor/preact.js";
import { loadLater, mountPage } from "../../kit/client_page.js";
import { ProblemNotice } from "../../kit/problems.js";
import { t } from "../../kit/words.js";
import { followLink, readAddress, view } from "./address.js";
import { importFiles, importProblems, StoryList, Welcome } from "./story_list.js";
import { Missing, StoryView } from "./story_view.js";
import { KINDS } from "./tavern.js";

const AssetView = loadLater(async () => (await import("./asset_view.js")).AssetView);
const Library = loadLater(async () => (await import("./library.js")).Library);

function Main() {
  const { name, id = "", kind = "", query } = view.value;
  switch (name) {
    case "index":
      return html`<${Welcome} />`;
    case "library":
      return html`<${Library} key=${kind} kind=${kind} />`;
    case "asset":
      return html`<${AssetView} key=${id} kind=${kind} id=${id} query=${query} />`;
    case "story":
      return html`<${StoryView} id=${id} query=${query} />`;
    case "missing":
      return html`<${Missing} />`;
  }
}

function App() {
  const { name, id = "", kind = "" } = view.value;
  /** @param {any} event */
  const drop = (event) => {
    event.preventDefault();
    void importFiles([...event.dataTransfer.files], name === "index");
  };
  return html`<div class="stories-grid" onClick=${followLink} onDrop=${drop} onDragOver=${(/** @type {Event} */ event) => event.preventDefault()}>
    <aside class="sidebar" aria-label=${t("stories.all")}>
      <a class="button" href="/stories">${t("stories.new")}</a>
      <details open=${window.innerWidth > 900}><summary>${t("stories.all")}</summary><${StoryList} current=${name === "story" ? id : ""} /></details>
      <details open=${window.innerWidth > 900}><summary>${t("stories.library")}</summary>
        <ul class="list kinds">${KINDS.map((each) => html`<li><a href=${`/stories/library/${each.name}`} aria-current=${each.name === kind ? "page" : undefined}>${t(`stories.kind_${each.name}`)}</a></li>`)}</ul></details>
    </aside>
    <div class="stage">${importProblems.value.map(({ name, problem }) => html`<${ProblemNotice} problem=${problem} about=${name} />`)}<${Main} /></div>
  </div>`;
}

addEventListener("popstate", readAddress);
mountPage(App);
