// The prompt of a floor as it was sent, or the one that would be sent now, and where it came from.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { ProblemNotice } from "../../kit/problems.js";
import { formatNumber, hasWords, t } from "../../kit/words.js";
import { changeQuery } from "./address.js";
import { addNames } from "./prompt_names.js";
import { call } from "./tavern.js";

const PAUSE_MS = 450;
const COLOURS = 6;
const LONG = 400; // Characters of a line that may scroll, so that keys can reach it.

/** @param {string} group @param {any} prompt */
const nameGroup = (group, { names }) => {
  const identifier = group.replace(/^section:/, "");
  const key = `stories.group_${identifier.replace(/\W/g, "_")}`;
  return hasWords(key) ? t(key) : names.get(identifier) || identifier;
};

/** Tokens by group against the budget. @param {{prompt: any}} props */
function Budget({ prompt }) {
  const { max_input_tokens: most, reserved_completion_tokens: reserved } = prompt.governance;
  const groups = prompt.section_stats.filter((/** @type {any} */ each) => each.token_count);
  const used = groups.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.token_count, 0);
  const words = t("stories.budget", {
    used: formatNumber(used),
    most: formatNumber(most),
    reserved: formatNumber(reserved),
  });
  let x = 0;
  return html`<figure class="budget">
    <svg viewBox="0 0 1000 18" preserveAspectRatio="none" role="img" aria-label=${words}><rect class="rest" width="1000" height="18" />
      ${groups.map((/** @type {any} */ each, /** @type {number} */ place) => {
        const width = (each.token_count / Math.max(most, used)) * 1000;
        x += width;
        return html`<rect class=${`c${place % COLOURS}`} x=${x - width} width=${Math.max(width, 1)} height="18" />`;
      })}</svg>
    <figcaption>${words}</figcaption>
    <ul class="legend">${groups.map((/** @type {any} */ each, /** @type {number} */ place) => html`<li><span class=${`key c${place % COLOURS}`}></span>${nameGroup(each.group, prompt)} <b>${formatNumber(each.token_count)}</b>${each.pruned_token_count > 0 && html` <del>${formatNumber(each.pruned_token_count)}</del>`}</li>`)}</ul>
  </figure>`;
}

/** @param {string} text */
const shorten = (text) => (text.length > 24 ? `${text.slice(0, 23).trimEnd()}…` : text);

/** What a source is called. @param {any} source @param {any} prompt */
function nameSource(source, prompt) {
  const [kind, ...rest] = source.place.split(":");
  const match = source.match_index === null ? null : prompt.worldbook?.matches[source.match_index];
  if (match)
    return t("stories.from_lore", {
      name: match.comment || shorten(match.content_preview),
      book: match.source.worldbook_name || "",
    });
  const key = `stories.from_${kind}`;
  const field = `stories.field_${rest.join(":")}`;
  const name =
    kind === "card" && hasWords(field)
      ? t(field)
      : (kind === "preset" && prompt.names.get(rest.join(":"))) || rest.join(":");
  return hasWords(key) ? t(key, { name }) : source.place;
}

/** @param {any} match */
function describeMatch({ activation }) {
  const first = activation.first_match;
  if (!first) return t(`stories.lore_${activation.mode === "constant" ? "constant" : "other"}`);
  return t("stories.lore_matched", { key: first.matched_key, from: nameMatchPlace(first) });
}

/** Messages are counted from the newest one, which is 0. @param {any} match */
function nameMatchPlace({ source_kind: kind, message_index_from_latest: index }) {
  if (kind === "message" && index > 0) return t("stories.lore_in_message", { count: index + 1 });
  return t(`stories.lore_place_${kind}`);
}

/** A message as it is stored, where the prompt has another text: regex scripts and macros changed it. @param {any} source @param {string} role @param {string} text @param {any[]} floors */
function findStored(source, role, text, floors) {
  if (source.floor_ids.length !== 1) return "";
  const floor = floors.find((each) => each.id === source.floor_ids[0]);
  const stored = floor?.messages.find((/** @type {any} */ message) => message.role === role)?.content ?? "";
  return text.includes(stored.trim()) ? "" : stored;
}

/** @param {{source: any, match: any, stored: string}} props */
function SourceDetails({ source, match, stored }) {
  return html`<div class="source-details">
    <p><code>${source.place}</code></p>
    ${match && html`${match.activation.first_match?.excerpt && html`<blockquote dir="auto">${match.activation.first_match.excerpt}</blockquote>`}`}
    ${source.template !== null && html`<p class="label">${t("stories.before_macros")}</p><pre tabindex="0">${source.template}</pre>`}
    ${stored && html`<p class="label">${t("stories.before_regex")}</p><pre tabindex="0" dir="auto">${stored}</pre>`}
    ${source.floor_ids.map((/** @type {string} */ id) => html`<button type="button" class="button plain" onClick=${() => changeQuery({ floor: id })}>${t("stories.go_to_floor")}</button>`)}
  </div>`;
}

/** Split a message at its sources; what lies between was added by a format. @param {any} message @param {any[]} sources */
function splitMessage(message, sources) {
  const parts = [];
  let at = 0;
  for (const source of sources) {
    if (source.char_start > at) parts.push({ text: message.content.slice(at, source.char_start), source: null });
    parts.push({ text: message.content.slice(source.char_start, source.char_end), source });
    at = source.char_end;
  }
  if (at < message.content.length) parts.push({ text: message.content.slice(at), source: null });
  return parts.filter((part) => part.source || part.text.trim());
}

/** What a line has been through, beside it: the key that matched, macros, regex scripts. @param {{source: any, match: any, stored: string}} props */
function LineReason({ source, match, stored }) {
  const reasons = [];
  if (match) reasons.push(describeMatch(match));
  if (source.template !== null) reasons.push(t("stories.macros_replaced"));
  if (stored) reasons.push(t("stories.text_changed"));
  return reasons.length ? html`<span class="line-reason">${reasons.join(" ")}</span>` : null;
}

/** @param {{prompt: any, floors: any[]}} props */
function Messages({ prompt, floors }) {
  const open = useSignal("");
  return html`<ol class="prompt">${prompt.messages.map((/** @type {any} */ message, /** @type {number} */ number) => {
    const sources = prompt.sources.filter((/** @type {any} */ each) => each.message_index === number);
    return html`<li key=${number}><p class="role"><span class=${`badge role-${message.role}`}>${hasWords(`stories.role_${message.role}`) ? t(`stories.role_${message.role}`) : message.role}</span></p>
      ${splitMessage(message, sources).map(({ text, source }, place) => {
        const id = `${number}.${place}`;
        if (!source)
          return html`<div class="line added"><span class="line-source">${t(prompt.sources.length ? "stories.from_format" : "stories.from_unknown")}</span><span class="line-text" dir="auto">${text.trim()}</span></div>`;
        const match = source.match_index === null ? null : prompt.worldbook?.matches[source.match_index];
        const facts = { source, match, stored: findStored(source, message.role, text, floors) };
        return html`<div class=${open.value === id ? "line open" : "line"}>
          <button type="button" class="line-source" aria-expanded=${open.value === id} onClick=${() => (open.value = open.value === id ? "" : id)}>${nameSource(source, prompt)}<small>${t("stories.token_count", { count: formatNumber(source.token_count) })}</small></button>
          <div class="line-side"><span class="line-text" dir="auto" tabindex=${text.length > LONG ? 0 : undefined}>${text}</span><${LineReason} ...${facts} /></div>
          ${open.value === id && html`<${SourceDetails} ...${facts} />`}
        </div>`;
      })}</li>`;
  })}</ol>`;
}

/** What is not in the prompt, and why. @param {{prompt: any}} props */
function CutList({ prompt }) {
  const lore = (prompt.worldbook?.cut ?? []).map((/** @type {any} */ each) => ({
    name: each.comment || `#${each.uid}`,
    why: each.reason,
    detail: each.detail,
  }));
  const trimmed = prompt.trim_reasons.map((/** @type {any} */ each) => ({
    name: nameGroup(each.group, prompt),
    why: each.reason,
    detail: each.detail,
  }));
  const excluded = prompt.excluded_sources.map((/** @type {any} */ each) => ({
    name: nameGroup(each.source, prompt),
    why: each.reason,
    detail: each.detail,
  }));
  const all = [...trimmed, ...excluded, ...lore];
  const rules = prompt.diagnostics.regex?.phases?.flatMap((/** @type {any} */ phase) => phase.applied_rules) ?? [];
  return html`<h3>${t("stories.left_out")}</h3>
    ${all.length ? html`<ul class="cut">${all.map((each) => html`<li><b dir="auto">${each.name}</b> <span class="badge warning">${hasWords(`stories.cut_${each.why}`) ? t(`stories.cut_${each.why}`) : each.why}</span><span class="quiet small" lang="en">${each.detail}</span></li>`)}</ul>` : html`<p class="quiet small">${t("stories.nothing_cut")}</p>`}
    ${rules.length > 0 && html`<h3>${t("stories.regex_applied")}</h3><p class="small">${rules.join(", ")}</p>`}
    ${prompt.limitations.length > 0 && html`<p class="note">${t("stories.variables_of_now")}</p>`}
    ${(prompt.diagnostics.macro_warnings ?? []).map((/** @type {any} */ each) => html`<p class="note"><code>${each.raw_text || each.macro_name}</code> ${t(`macro_warning.${each.code}`)}</p>`)}`;
}

/** @param {{prompt: any, floors: any[]}} props */
const PromptView = ({ prompt, floors }) =>
  html`<${Budget} prompt=${prompt} /><${Messages} prompt=${prompt} floors=${floors} /><${CutList} prompt=${prompt} />`;

/** The prompt of the message that is being typed, renewed when the typing pauses. @param {import("./panel.js").PanelProps} props */
function DryRun({ story, query, draft }) {
  const found = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const floor = query.get("floor");
  const text = draft.value.trim();
  useEffect(() => {
    if (!text) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const body = { message: text, branch_id: story.branch, ...(floor ? { source_floor_id: floor } : {}) };
      call(`/sessions/${story.id}/prompt-runtime/inspect`, { method: "POST", body, signal: abort.signal })
        .then(addNames)
        .then(
          (data) => abort.signal.aborted || ((found.value = data), (problem.value = null)),
          (error) => abort.signal.aborted || (problem.value = error),
        );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, floor, story.floors.value]);
  if (!text) return html`<p class="quiet">${t("stories.dry_empty")}</p>`;
  return html`${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${found.value ? html`<${PromptView} prompt=${found.value} floors=${story.floors.value} />` : !problem.value && html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`}`;
}

/** @param {{story: import("./story.js").Story, floor: any}} props */
function SentPrompt({ story, floor }) {
  const found = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    found.value = problem.value = null;
    call(`/floors/${floor.id}/prompt-runtime/explain`)
      .then(addNames)
      .then(
        (data) => (found.value = data),
        (error) => (problem.value = error),
      );
  }, [floor.id, floor.updated_at, story]);
  if (problem.value) return html`<${ProblemNotice} problem=${problem.value} />`;
  if (!found.value) return html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`;
  if (!found.value.snapshot_available) return html`<p class="quiet">${t("stories.no_prompt")}</p>`;
  return html`<p class="note">${t("stories.prompt_of", { number: floor.floor_no })} ${floor.token_in + floor.token_out > 0 && t("stories.tokens", { sent: formatNumber(floor.token_in), got: formatNumber(floor.token_out) })}</p><${PromptView} prompt=${found.value} floors=${story.floors.value} />`;
}

/** @param {import("./panel.js").PanelProps} props */
export function PromptPanel(props) {
  const { story, query, draft } = props;
  const isDry = query.get("dry") === "1";
  const floors = story.floors.value;
  const floor = floors.find((each) => each.id === query.get("floor")) ?? floors.at(-1);
  return html`<div class="row tabs" role="group" aria-label=${t("stories.panel_prompt")}>
      <button type="button" class="chip" aria-pressed=${!isDry} onClick=${() => changeQuery({ dry: "" })}>${t("stories.sent_prompt")}</button>
      <button type="button" class="chip" aria-pressed=${isDry} onClick=${() => changeQuery({ dry: "1" })}>${t("stories.dry_run")}${draft.value.trim() && !isDry ? " •" : ""}</button>
    </div>
    ${isDry ? html`<${DryRun} ...${props} />` : floor ? html`<${SentPrompt} story=${story} floor=${floor} />` : html`<p class="quiet">${t("stories.no_floors")}</p>`}`;
}
