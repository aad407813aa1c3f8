// All turns of a story as a tree that is walked by keyboard; Enter stands on a turn.

import { html, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { t } from "../../kit/words.js";
import { go } from "./address.js";
import { call } from "./tavern.js";

const PAGE = 200;
const ROWS_MAX = 600;

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {any} floor null for a branch without turns of its own
 * @property {string} branch
 * @property {number} depth
 * @property {string} parent the row above it in the tree
 * @property {boolean} isHead whether the branch ends here
 */

/** @param {string} sessionId */
async function loadFloors(sessionId) {
  /** @type {any[]} */
  const floors = [];
  for (;;) {
    const page = await request(`/floors?session_id=${sessionId}&limit=${PAGE}&offset=${floors.length}`);
    floors.push(...page.data);
    if (!page.meta.has_more) return floors;
  }
}

/** Order the turns: a side branch comes after the turn it leaves, one step further in. @param {any[]} floors @param {any[]} branches */
export function orderRows(floors, branches) {
  const children = Map.groupBy(floors, (floor) => floor.parent_floor_id ?? "");
  const empty = Map.groupBy(
    branches.filter((branch) => !branch.floor_count),
    (branch) => branch.source_floor_id ?? "",
  );
  /** @type {Row[]} */
  const rows = [];
  const known = new Set(floors.map((floor) => floor.id));
  const roots = floors.filter((floor) => !known.has(floor.parent_floor_id));
  /** @type {{floor: any, depth: number, parent: string}[]} */
  const waiting = roots.map((floor) => ({ floor, depth: 0, parent: "" })).reverse();
  while (waiting.length) {
    const { floor, depth, parent } = /** @type {any} */ (waiting.pop());
    const next = children.get(floor.id) ?? [];
    const same = next.find((each) => each.branch_id === floor.branch_id);
    const sides = next.filter((each) => each !== same);
    rows.push({ id: floor.id, floor, branch: floor.branch_id, depth, parent, isHead: !same });
    for (const branch of empty.get(floor.id) ?? [])
      rows.push({
        id: `empty ${branch.branch_id}`,
        floor: null,
        branch: branch.branch_id,
        depth: depth + 1,
        parent: floor.id,
        isHead: true,
      });
    if (same) waiting.push({ floor: same, depth, parent: floor.id });
    for (const side of sides.reverse()) waiting.push({ floor: side, depth: depth + 1, parent: floor.id });
  }
  return rows;
}

/** @param {any} floor */
const excerpt = (floor) => (floor.messages.at(0)?.content ?? "").replace(/\s+/g, " ").slice(0, 80);

/** @param {{row: Row, isChosen: boolean, isCurrent: boolean, onOpen: () => void, onFocus: () => void}} props */
const TreeRow = ({ row, isChosen, isCurrent, onOpen, onFocus }) =>
  html`<li role="none" class=${`tree-row d${Math.min(row.depth, 6)}`}>
    <div role="treeitem" data-id=${row.id} aria-level=${row.depth + 1} aria-selected=${isChosen} tabindex=${isCurrent ? 0 : -1} onClick=${onOpen} onFocus=${onFocus}>
      <span class="dot" aria-hidden="true"></span>
      <span class="tree-text">${row.floor ? html`<b>${row.floor.floor_no}</b> <span dir="auto">${excerpt(row.floor)}</span>` : html`<i>${t("stories.branch_empty")}</i>`}</span>
      ${row.isHead && html`<span class="badge">${row.branch === "main" ? t("stories.branch_main") : row.branch}</span>`}
    </div>
  </li>`;

/** The row that a key leads to. @param {string} key @param {Row[]} rows @param {string} current @returns {string | undefined} */
function findNeighbour(key, rows, current) {
  const place = rows.findIndex((row) => row.id === current);
  switch (key) {
    case "ArrowDown":
      return rows[place + 1]?.id;
    case "ArrowUp":
      return rows[place - 1]?.id;
    case "ArrowLeft":
      return rows[place]?.parent;
    case "ArrowRight":
      return rows.find((row) => row.parent === current)?.id;
    case "Home":
      return rows[0]?.id;
    case "End":
      return rows.at(-1)?.id;
  }
}

/** @param {import("./panel.js").PanelProps} props */
export function BranchTree({ story, query, act }) {
  const rows = useSignal(/** @type {Row[] | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const focused = useSignal("");
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    loadFloors(story.id).then(
      (floors) => (rows.value = orderRows(floors, story.branches.value)),
      (error) => (problem.value = error),
    );
  }, [story, story.floors.value, story.branches.value]);
  if (problem.value) return html`<${ProblemNotice} problem=${problem.value} />`;
  if (!rows.value) return html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span></div>`;
  const chosen = query.get("floor") ?? story.floors.value.at(-1)?.id ?? "";
  const shown = rows.value.slice(-ROWS_MAX);
  const current = shown.some((row) => row.id === focused.value) ? focused.value : chosen;
  /** @param {Row} row */
  const open = (row) => {
    const params = new URLSearchParams({ panel: "branches" });
    if (row.branch !== "main") params.set("branch", row.branch);
    if (row.floor && !row.isHead) params.set("floor", row.floor.id);
    go(`/stories/${story.id}?${params}`);
  };
  /** @param {string} id */
  const focus = (id) => {
    focused.value = id;
    const items = /** @type {NodeListOf<HTMLElement>} */ (list.current?.querySelectorAll("[role=treeitem]"));
    [...items].find((item) => item.dataset.id === id)?.focus();
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const target = findNeighbour(event.key, shown, current);
    const row = shown.find((each) => each.id === current);
    if (target || /^Arrow/.test(event.key)) event.preventDefault();
    if (target) focus(target);
    else if (row && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      open(row);
    }
  };
  /** @param {string} name */
  const remove = (name) =>
    act(
      call(`/sessions/${story.id}/branches/${encodeURIComponent(name)}`, { method: "DELETE" }).then(() =>
        name === story.branch ? go(`/stories/${story.id}?panel=branches`) : story.reload(),
      ),
    );
  return html`<p class="note">${t("stories.tree_note")}</p>
    ${rows.value.length > ROWS_MAX && html`<p class="note">${t("stories.tree_cut", { count: ROWS_MAX })}</p>`}
    <ul class="tree" role="tree" ref=${list} aria-label=${t("stories.panel_branches")} onKeyDown=${press}>
      ${shown.map((row) => html`<${TreeRow} key=${row.id} row=${row} isChosen=${row.id === chosen} isCurrent=${row.id === current} onOpen=${() => open(row)} onFocus=${() => (focused.value = row.id)} />`)}
    </ul>
    ${story.branch !== "main" && html`<button type="button" class="button" onClick=${() => remove(story.branch)}>${t("stories.branch_delete", { name: story.branch })}</button>`}`;
}
