// A story: its floors on one branch, the turn that is being written, and what can be done with them.

import { signal } from "../../vendor/preact.js";
import { digest, readDraft, settleDraft, storeDraft } from "../../kit/drafts.js";
import { syncLanguage } from "../../kit/profile.js";
import { indexByAnswer, loadRuns } from "../../kit/usage.js";
import { StoryRun } from "./story_run.js";
import { call } from "./tavern.js";

/**
 * @typedef {any} Floor
 * @typedef {{request: import("./story_run.js").TurnRequest, problem: any}} ReplayQuestion
 */

const CONFIRMATION = /replay_confirmation_required$/;

/** The branch of a new turn that continues another floor than the last one. */
const newBranchName = () => `branch-${Date.now().toString(36)}`;

/** The draft of a message that is changed. @param {any} message */
export const nameEdit = (message) => `edit/${message.id}/${digest(message.content)}`;

export class Story {
  /** @param {string} id @param {string} branch */
  constructor(id, branch) {
    this.id = id;
    this.branch = branch;
    /** @type {import("../../vendor/preact.js").Signal<"loading" | "ready" | "missing" | "failed">} */
    this.phase = signal("loading");
    this.problem = signal(/** @type {any} */ (null));
    this.session = signal(/** @type {any} */ (null));
    this.floors = signal(/** @type {Floor[]} */ ([]));
    this.branches = signal(/** @type {any[]} */ ([]));
    this.run = signal(/** @type {StoryRun | null} */ (null));
    this.text = signal(readDraft(`story/${id}`)); // In the composer.
    this.unsent = ""; // A message that failed while another one stood in the composer.
    this.isChanging = false;
    this.pending = signal(""); // The message whose reply is being written.
    this.question = signal(/** @type {ReplayQuestion | null} */ (null));
    this.names = signal({ character: "", persona: "" });
    this.runs = signal(/** @type {Map<string, any>} */ (new Map())); // By the id of their reply.
  }

  get isBusy() {
    const run = this.run.value;
    return run !== null && !run.ended.value;
  }

  async load() {
    this.problem.value = null;
    try {
      // Before the timeline, which has a turn that ends meanwhile; and before the composer can send another one.
      const [session, active] = await Promise.all([
        call(`/sessions/${this.id}`),
        call(`/sessions/${this.id}/active-run?branch_id=${encodeURIComponent(this.branch)}`),
      ]);
      this.session.value = session;
      await Promise.all([this.reload(), this.#loadNames()]);
      this.phase.value = "ready";
      if (active && !this.isBusy) await this.#resume(active.floor_id);
    } catch (error) {
      const { status } = /** @type {any} */ (error);
      this.problem.value = error;
      this.phase.value = status === 404 ? "missing" : "failed";
    }
  }

  /** Follow a turn that was sent before; its message is not in the timeline yet. @param {string} floorId */
  async #resume(floorId) {
    const run = new StoryRun(null, floorId);
    const end = this.#follow(run);
    const floor = await call(`/floors/${floorId}`).catch(() => undefined);
    const stays = run.ended.value && run.isReplacement;
    if (this.run.value === run && !stays) this.pending.value = readMessage(floor, "user")?.content ?? "";
    await end;
  }

  async reload() {
    const [timeline, branches] = await Promise.all([
      call(`/sessions/${this.id}/timeline?branch_id=${encodeURIComponent(this.branch)}`),
      call(`/sessions/${this.id}/branches`),
    ]);
    this.floors.value = timeline.floors;
    this.branches.value = branches;
    void loadRuns(this.id).then((runs) => (this.runs.value = indexByAnswer(runs)));
  }

  /** The names stay as they are if they cannot be read: a story is whole without them. */
  async #loadNames() {
    const assets = await call(`/sessions/${this.id}/prompt-runtime/assets`).catch(() => null);
    if (assets) this.names.value = { character: assets.character?.name ?? "", persona: assets.user?.name ?? "" };
  }

  /** @param {string} text @param {string} [after] the floor to continue, if it is not the last one */
  say(text, after) {
    this.pending.value = text;
    const body = after
      ? { message: text, source_floor_id: after, branch_id: newBranchName() }
      : { message: text, branch_id: this.branch };
    const draft = { name: `story/${this.id}`, text };
    return this.start({ kind: "respond", path: `/sessions/${this.id}/respond/stream`, body, draft });
  }

  regenerate() {
    const last = this.floors.value.at(-1);
    this.pending.value = readMessage(last, "user")?.content ?? "";
    const body = { branch_id: this.branch };
    return this.start({ kind: "regenerate", path: `/sessions/${this.id}/regenerate`, body, floorId: last?.id });
  }

  /** @param {Floor} floor */
  retry(floor) {
    this.pending.value = "";
    return this.start({ kind: "retry", path: `/floors/${floor.id}/retry`, body: {}, floorId: floor.id });
  }

  /** @param {any} message @param {string} content */
  edit(message, content) {
    this.pending.value = content;
    const body = { content, branch_id: newBranchName() };
    const path = `/messages/${message.id}/edit-and-regenerate`;
    const draft = { name: nameEdit(message), text: content };
    return this.start({ kind: "edit", path, body, draft, floorId: message.floor_id });
  }

  /** Send the request of a run again: as the same one where the server may not have seen it. @param {StoryRun} run */
  startAgain({ request, floorId, key, problem }) {
    if (!request) return this.#startUnknown();
    return this.start(request, problem.value?.status === 0 && !floorId.value ? key : undefined);
  }

  /** After a failure of a turn that was sent before a reload. @returns {Promise<any>} */
  #startUnknown() {
    const text = this.pending.value;
    this.run.value = null;
    return text ? this.say(text) : this.load();
  }

  /** @param {import("./story_run.js").TurnRequest} request @param {string} [key] @returns {Promise<string>} the branch to go to, or empty */
  async start(request, key) {
    if (this.isBusy) return "";
    const text = request.kind === "respond" ? (request.draft?.text ?? "") : "";
    if (this.unsent === text) this.unsent = "";
    if (this.text.value === text) this.text.value = "";
    const run = new StoryRun(request, "", key);
    this.run.value = run;
    await syncLanguage();
    this.#returnText();
    if (run.abort.signal.aborted) return "";
    await this.#follow(run);
    const branch = run.result?.branch_id ?? "";
    return branch && branch !== this.branch ? branch : "";
  }

  /** Put a message that failed back into the composer if that is empty. */
  #returnText() {
    if (!this.unsent || this.text.value) return;
    this.text.value = this.unsent;
    storeDraft(`story/${this.id}`, this.unsent);
    this.unsent = "";
  }

  /** Repeat a request with all that the server asked to have confirmed. */
  confirm() {
    const asked = this.question.value;
    if (!asked) return Promise.resolve("");
    this.question.value = null;
    const { request, problem } = asked;
    const { blocking_executions: calls = [], blocking_session_state_mutations: writes = [] } = problem.params ?? {};
    const body = {
      ...request.body,
      confirmed_execution_ids: calls.map((/** @type {any} */ each) => each.execution_id),
      confirmed_session_state_mutation_ids: writes.map((/** @type {any} */ each) => each.mutation_id),
    };
    return this.start({ ...request, body });
  }

  /** Another request may be sent while the timeline is read. @param {StoryRun} run */
  async #follow(run) {
    this.run.value = run;
    await run.follow();
    if (run.ended.value) this.#readEnd(run);
    if (run.abort.signal.aborted) return;
    await this.reload().catch(() => undefined);
    if (this.run.value !== run) return;
    if (run.result || run.isReplacement) this.pending.value = ""; // Its turn is in the timeline.
    if (run.result) this.run.value = null;
  }

  /** Give back what was typed for a run that failed, at the moment it is seen to have failed. @param {StoryRun} run */
  #readEnd({ request, result, problem }) {
    if (!request) return;
    const { draft, kind } = request;
    if (draft) settleDraft(draft.name, draft.text, Boolean(result));
    if (draft && !result && kind === "respond") {
      this.unsent = draft.text;
      this.#returnText();
    }
    if (!problem.value || !CONFIRMATION.test(problem.value.code)) return;
    this.question.value = { request, problem: problem.value };
    this.run.value = null;
  }

  /** Show another page of a slot; behind the last one a new reply is written. @param {Floor} floor @param {number} step */
  async turnPage(floor, step) {
    const pages = listPages(floor);
    const place = pages.findIndex((page) => page.is_active) + step;
    if (place < 0) return;
    if (place >= pages.length) {
      if (readMessage(floor, "user")) await this.retry(floor);
      return;
    }
    await this.#changeOnce(() => call(`/pages/${pages[place].id}/activate`, { method: "PATCH" }));
  }

  /** A second click or key means what is shown, which the first one changes. @param {() => Promise<any>} change */
  async #changeOnce(change) {
    if (this.isChanging) return;
    this.isChanging = true;
    try {
      await change();
      await this.reload();
    } finally {
      this.isChanging = false;
    }
  }

  /** @param {any} message */
  async hide(message) {
    await call(`/messages/${message.id}`, { method: "PATCH", body: { is_hidden: !message.is_hidden } });
    await this.reload();
  }

  /** Change a reply in its place; it is not answered again. @param {any} message @param {string} content */
  async rewrite(message, content) {
    const body = { content, expected_content: message.content };
    try {
      await call(`/messages/${message.id}`, { method: "PATCH", body });
      storeDraft(nameEdit(message), "");
    } catch (error) {
      if (/** @type {any} */ (error).code !== "message_changed") throw error;
      const present = await call(`/messages/${message.id}`);
      storeDraft(nameEdit(present), content);
      throw error;
    } finally {
      await this.reload();
    }
  }

  /** Delete the last turn of the branch. @param {Floor} floor */
  async deleteTurn(floor) {
    await this.#changeOnce(async () => {
      await call(`/floors/${floor.id}`, { method: "DELETE" });
      if (this.unsent) return; // It is shown only there.
      this.run.value = null;
      this.pending.value = "";
    });
  }

  /** @param {string} floorId @param {string} [name] */
  async fork(floorId, name) {
    const made = await call(`/floors/${floorId}/branch`, {
      method: "POST",
      body: { branch_id: name || newBranchName() },
    });
    return made.branch_id;
  }

  /** @param {Record<string, unknown>} fields */
  async change(fields) {
    this.session.value = await call(`/sessions/${this.id}`, { method: "PATCH", body: fields });
    await Promise.all([this.reload(), this.#loadNames()]);
  }

  /** Take the newest version of the character; a story keeps the one it was begun with. */
  async syncCharacter() {
    const path = `/sessions/${this.id}/character/sync`;
    this.session.value = await call(path, { method: "POST", body: { force: true } });
    await Promise.all([this.reload(), this.#loadNames()]);
  }

  leave() {
    this.run.value?.leave();
  }
}

/** What the server wants to have confirmed before it repeats a turn. @param {any} problem @returns {any[]} */
export function listAsked({ params }) {
  return [...(params?.blocking_executions ?? []), ...(params?.blocking_session_state_mutations ?? [])];
}

/** The alternatives of the floor's reply. @param {Floor} floor @returns {any[]} */
export function listPages(floor) {
  const outputs = floor.pages.filter((/** @type {any} */ page) => page.page_kind !== "input");
  const active = outputs.findLast((/** @type {any} */ page) => page.is_active) ?? outputs.at(-1);
  return outputs.filter((/** @type {any} */ page) => page.slot_id === active?.slot_id);
}

/** Whether there is a reply before or after the shown one. @param {Floor} floor @param {number} step */
export function hasPage(floor, step) {
  const pages = listPages(floor);
  return pages[pages.findIndex((page) => page.is_active) + step] !== undefined;
}

/** @param {Floor | undefined} floor @param {string} role */
export const readMessage = (floor, role) =>
  floor?.messages.findLast((/** @type {any} */ message) => message.role === role);
