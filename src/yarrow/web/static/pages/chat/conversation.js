// A conversation with the assistant: stored messages and the run that is going on.

import { batch, effect, signal } from "../../vendor/preact.js";
import { readProblem, request, send } from "../../kit/api.js";
import { newId } from "../../kit/ids.js";
import { LiveRun } from "../../kit/live_run.js";
import { digest, settleDraft, storeDraft } from "../../kit/drafts.js";
import { loadRuns } from "../../kit/usage.js";

const RUNS = "/api/v1/agents/assistant/runs";
const CARD_DAYS = 6;

/**
 * @typedef {{url: string, mimeType: string}} Picture
 * @typedef {object} ChatItem
 * @property {string} id
 * @property {string} [draft] of a question: where an unsent edit of it is kept; a reload changes the id
 * @property {"user" | "assistant" | "tool"} role
 * @property {string} text
 * @property {string} [tool]
 * @property {string} [args] of the tool, as JSON text
 * @property {Picture[]} [pictures]
 * @property {string} [runId] of an answer that arrived in this tab
 * @property {any} [card]
 * @property {import("../../kit/run_state.js").Part[]} [parts] of an answer that arrived in this tab
 * @property {{code: string, message: string}[]} [warnings]
 */

export class Conversation {
  /** @param {string} threadId @param {boolean} isNew */
  constructor(threadId, isNew) {
    this.threadId = threadId;
    /** @type {import("../../vendor/preact.js").Signal<"loading" | "ready" | "missing" | "failed">} */
    this.phase = signal(isNew ? "ready" : "loading");
    /** @type {import("../../vendor/preact.js").Signal<any>} */
    this.problem = signal(null);
    /** @type {import("../../vendor/preact.js").Signal<ChatItem[]>} */
    this.items = signal([]);
    /** @type {import("../../vendor/preact.js").Signal<LiveRun | null>} */
    this.run = signal(null);
    /** @type {import("../../vendor/preact.js").Signal<any[]>} */
    this.runs = signal([]);
    this.isStored = signal(!isNew);
    /**
     * The question that is asked again, perhaps in other words: what follows it is hidden meanwhile.
     * @type {import("../../vendor/preact.js").Signal<ChatItem | null>}
     */
    this.repeated = signal(null);
    /** The question of the newest run of this tab. @type {ChatItem | null} */
    this.asked = null;
  }

  /** Where unsent text is kept. */
  get draftName() {
    return this.isStored.value ? `chat.${this.threadId}` : "chat.new";
  }

  /** @param {string} text of a question */
  #nameEdit(text) {
    return `edit/${this.threadId}/${digest(text)}`;
  }

  /** The messages that will stand before the answer of the present run. */
  get standing() {
    const items = this.items.value;
    const question = this.repeated.value;
    return question
      ? [
          ...items.slice(
            0,
            items.findIndex(({ id }) => id === question.id),
          ),
          question,
        ]
      : items;
  }

  get isBusy() {
    const run = this.run.value;
    return run !== null && !run.ended.value;
  }

  async load() {
    const query = `threadId=${encodeURIComponent(this.threadId)}`;
    try {
      // After the runs: what is answered in one of them, or answered anew, is in the history then.
      const reading = this.#loadRuns().then(() => request(`/api/v1/agent/history?${query}`));
      const [history, cards] = await Promise.all([reading, this.#loadCards(query)]);
      this.items.value = history.messages.map((/** @type {any} */ message) => {
        const item = readMessage(message, cards);
        return item.role === "user" ? { ...item, draft: this.#nameEdit(item.text) } : item;
      });
      this.phase.value = "ready";
      if (this.items.value.at(-1)?.role === "user") this.#resume();
      else void this.#resumeRepeated();
    } catch (error) {
      const { status } = /** @type {any} */ (error);
      this.problem.value = error;
      this.phase.value = status === 404 || status === 403 || status === 422 ? "missing" : "failed";
    }
  }

  #resume() {
    const run = new LiveRun(this.threadId, "");
    void this.#watch(run, () => run.follow());
  }

  /** Follow a run whose answer will replace another one; which one is in the history once it is stored. */
  async #resumeRepeated() {
    const newest = this.runs.value[0];
    if (this.isBusy || !["queued", "running"].includes(newest?.status)) return;
    const run = new LiveRun(this.threadId, newest.run_id);
    await this.#watch(run, () => run.follow());
    if (run.state.status === "succeeded") await this.load();
  }

  /** Cards are in the history by day. @param {string} query */
  async #loadCards(query) {
    const cards = new Map();
    let before = "";
    for (let day = 0; day < CARD_DAYS; day += 1) {
      const page = await request(`/api/v1/agent/history?${query}&scope=history_day${before}`);
      for (const message of page.messages) if (message.uiSchema) cards.set(message.id, message.uiSchema);
      if (!page.hasMore || !page.day) break;
      before = `&before=${page.day}`;
    }
    return cards;
  }

  async #loadRuns() {
    const runs = await loadRuns(this.threadId);
    if (runs.length) this.runs.value = runs;
  }

  /** @param {string} text @param {Picture[]} pictures */
  ask(text, pictures = []) {
    const item = { id: newId(), role: /** @type {const} */ ("user"), text, pictures, draft: this.#nameEdit(text) };
    this.items.value = [...this.items.value, item];
    void this.#run(item).then((run) => run && settleDraft(this.draftName, text, run.isAccepted));
  }

  get lastQuestion() {
    return this.items.value.findLast((item) => item.role === "user");
  }

  /** Replace the last answer. */
  answerAgain() {
    if (this.lastQuestion) this.#repeat(this.lastQuestion);
  }

  /** Ask an earlier question in other words. The draft is forgotten once they are answered. @param {ChatItem} item @param {string} text */
  edit(item, text) {
    storeDraft(item.draft ?? "", text);
    this.#repeat({ ...item, text });
  }

  /** After a failure. Which question a run of before the reload repeated is not known: the conversation is read anew. */
  retry() {
    const last = this.items.value.at(-1);
    const question = this.asked ?? (last?.role === "user" ? last : null);
    if (question) return this.#repeat(question);
    this.run.value = null;
    void this.load();
  }

  /** @param {ChatItem} question */
  #repeat(question) {
    if (this.isBusy) return;
    this.repeated.value = question;
    void this.#run(question);
  }

  /** A question that was posted before replaces its turn. @param {ChatItem} question @returns the run, unless it was left */
  async #run(question) {
    this.asked = question;
    const run = new LiveRun(this.threadId, newId());
    const blocks = (question.pictures ?? []).map(({ url, mimeType }) => ({ type: "binary", mimeType, url }));
    const content = blocks.length ? [{ type: "text", text: question.text }, ...blocks] : question.text;
    const messages = [{ id: question.id, role: "user", content }];
    const body = { threadId: this.threadId, runId: run.runId, messages };
    await this.#watch(run, () => run.start(RUNS, body, { comparesIds: true }));
    if (run.abort.signal.aborted) return null;
    if (!this.isStored.value) history.replaceState(null, "", "/chat"); // There is nothing at its address.
    return run;
  }

  /** @param {LiveRun} run @param {() => Promise<void>} follow */
  async #watch(run, follow) {
    this.run.value = run;
    const stop = effect(() => {
      run.version.value;
      if (run.state.status !== "waiting") this.isStored.value = true;
    });
    await follow();
    stop();
    if (this.isStored.value) void this.#loadRuns();
    if (run.state.status === "succeeded") this.#addAnswer(run);
    this.repeated.value = null;
  }

  /** @param {LiveRun} run */
  #addAnswer({ runId, state: { parts, warnings } }) {
    const question = this.repeated.value;
    if (question) {
      storeDraft(question.draft ?? "", "");
      this.repeated.value = { ...question, draft: this.#nameEdit(question.text) };
    }
    const answer = { id: newId(), role: /** @type {const} */ ("assistant"), text: "", parts, warnings, runId };
    batch(() => {
      this.items.value = [...this.standing, answer];
      this.run.value = null;
    });
  }

  /** A picture for the first message needs its session. @param {File} file */
  async upload(file) {
    if (!this.isStored.value) await request(`/api/v1/sessions/${this.threadId}`, { method: "PUT" });
    const form = new FormData();
    form.set("threadId", this.threadId);
    form.set("file", file);
    const response = await send("/api/v1/agent/attachments", { method: "POST", body: form });
    if (!response.ok) throw await readProblem(response);
    return (await response.json()).attachment;
  }

  leave() {
    this.run.value?.leave();
  }
}

/** @param {any} message @param {Map<string, any>} cards @returns {ChatItem} */
function readMessage(message, cards) {
  return {
    id: message.id,
    role: message.role,
    text: message.content,
    tool: message.tool_name,
    args: message.tool_arguments,
    pictures: message.attachments ?? [],
    card: cards.get(message.id),
    warnings: message.warnings,
  };
}
