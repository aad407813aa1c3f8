// One story: its head, floors, composer, and the panel beside them.

import { html, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { limits } from "../../kit/page_data.js";
import { ProblemNotice } from "../../kit/problems.js";
import { StickToEnd } from "../../kit/stick_to_end.js";
import { t } from "../../kit/words.js";
import { changeQuery, go } from "./address.js";
import { Composer } from "./composer.js";
import { FloorList, Portrait } from "./floors.js";
import { Icon } from "../../kit/icons.js";
import { Panel } from "./panel.js";
import { ReplayQuestion } from "./replay_question.js";
import { Story, hasPage } from "./story.js";
import { storyStamp } from "./story_list.js";

/** Panels with their icons. */
const PANELS = [
  ["branches", "branch"],
  ["state", "state"],
  ["prompt", "prompt"],
  ["settings", "settings"],
];

/** @param {{story: Story, panel: string, act: (work: Promise<any>) => void}} props */
function Head({ story, panel, act }) {
  const session = story.session.value;
  const typed = useSignal(""); // Until it is stored.
  /** @param {any} event */
  const rename = (event) => {
    const title = event.currentTarget.value.trim();
    typed.value = title === session.title ? "" : title;
    if (typed.value) act(story.change({ title }).then(() => void (typed.value = "")));
  };
  return html`<header class="story-head">
    <${Portrait} id=${session.character_id ?? ""} name=${story.names.value.character} />
    <div class="story-name"><h1 class="unseen">${session.title || t("history.untitled")}</h1><input class="title-field" aria-label=${t("stories.story_title")} dir="auto" maxlength=${limits.title_characters} value=${typed.value || (session.title ?? "")} placeholder=${story.names.value.character || t("history.untitled")} onChange=${rename} />
      <p class="small quiet">${[story.names.value.character === session.title ? "" : story.names.value.character, story.branch === "main" ? "" : t("stories.on_branch", { name: story.branch })].filter(Boolean).join(" · ")}</p></div>
    <div class="story-tools">${PANELS.map(([name, icon]) => html`<button type="button" class="icon" title=${t(`stories.panel_${name}`)} aria-label=${t(`stories.panel_${name}`)} aria-pressed=${panel === name} onClick=${() => changeQuery({ panel: panel === name ? "" : name })}><${Icon} name=${icon} /><span aria-hidden="true">${t(`stories.tool_${name}`)}</span></button>`)}</div>
  </header>`;
}

/** @param {{story: Story, query: URLSearchParams}} props */
function Loaded({ story, query }) {
  const chosen = query.get("floor") ?? "";
  const panel = query.get("panel") ?? "";
  const problem = useSignal(/** @type {any} */ (null));
  const isAway = useSignal(false);
  const isLast = story.floors.value.at(-1)?.id === chosen;
  const standing = isLast ? null : story.floors.value.find((floor) => floor.id === chosen);
  /** @param {Promise<any>} work */
  const act = (work) => {
    problem.value = null;
    work.then(
      (branch) => {
        storyStamp.value += 1;
        if (typeof branch === "string" && branch) go(`/stories/${story.id}?branch=${encodeURIComponent(branch)}`);
      },
      (error) => (problem.value = error),
    );
  };
  /** @param {string} message */
  const say = (message) => {
    isAway.value = false;
    act(story.say(message, standing?.id));
  };
  /** Only of the last turn, and to replies that are there: a key should not write one. @param {number} step */
  const turn = (step) => {
    const floor = story.floors.value.at(-1);
    if (floor && !standing && hasPage(floor, step)) act(story.turnPage(floor, step));
  };
  const actions = { chosen, show: changeQuery, act };
  const watch = () => [story.run.value?.version.value, story.floors.value, story.runs.value];
  const isWriting = story.isBusy && story.run.value?.floorId.value !== "";
  const wasWriting = useRef(isWriting);
  useEffect(() => {
    if (wasWriting.current !== isWriting) storyStamp.value += 1; // The list marks what is running.
    wasWriting.current = isWriting;
  }, [isWriting]);
  useEffect(() => {
    if (chosen) document.getElementById(`floor-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return html`<div class=${panel ? "story with-panel" : "story"}>
    <div class="talk">
      <${Head} story=${story} panel=${panel} act=${act} />
      ${story.floors.value.length || story.run.value ? html`<${FloorList} story=${story} actions=${actions} />` : html`<p class="quiet">${t("stories.no_floors")}</p>`}
      <${ReplayQuestion} story=${story} onConfirm=${() => act(story.confirm())} />
      ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
      <div class="composer-dock">
        <${StickToEnd} watch=${watch} isAway=${isAway} isHeld=${chosen !== ""} />
        <${Composer} story=${story} text=${story.text} standing=${standing} onLeave=${() => changeQuery({ floor: "" })} onSend=${say} onTurn=${turn} />
      </div>
    </div>
    ${panel && html`<${Panel} story=${story} name=${panel} query=${query} draft=${story.text} act=${act} />`}
  </div>`;
}

/** @param {{id: string, query: URLSearchParams}} props */
export function StoryView({ id, query }) {
  const branch = query.get("branch") ?? "main";
  const story = useSignal(/** @type {Story | null} */ (null));
  useEffect(() => {
    const made = new Story(id, branch);
    story.value = made;
    void made.load();
    return () => made.leave();
  }, [id, branch]);
  const shown = story.value;
  if (!shown || shown.phase.value === "loading")
    return html`<div class="talk" aria-hidden="true"><span class="shape"></span><span class="shape"></span><span class="shape w60"></span></div>`;
  if (shown.phase.value === "missing") return html`<${Missing} />`;
  if (shown.phase.value === "failed")
    return html`<${ProblemNotice} problem=${shown.problem.value} onRetry=${() => shown.load()} />`;
  return html`<${Loaded} key=${`${id} ${branch}`} story=${shown} query=${query} />`;
}

export const Missing = () =>
  html`<div class="welcome"><h1>${t("stories.missing")}</h1><p>${t("stories.missing_text")}</p><a class="button primary" href="/stories">${t("stories.all")}</a></div>`;
