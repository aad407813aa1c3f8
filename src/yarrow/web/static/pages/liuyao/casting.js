// A cast in the making: six lines from three coins each, thrown by hand, by the page, or typed.

import { effect, signal } from "../../vendor/preact.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { LINES_BY_COUNT, LINES_BY_NUMBER, METHODS } from "./terms.js";

/**
 * @typedef {"auto" | "hand" | "typed"} CastMode
 * @typedef {object} Throw
 * @property {string} line 少阳, 少阴, 老阳 or 老阴
 * @property {boolean[]} faces of three coins, true for 花; empty for a typed line
 */

const DRAFT = "liuyao-cast";
const SPIN_MS = 560;
const REST_MS = 260;

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {boolean[]} faces */
const countFaces = (faces) => faces.filter(Boolean).length;

function throwCoins() {
  const [bits] = crypto.getRandomValues(new Uint8Array(1));
  return [0, 1, 2].map((coin) => Boolean((bits >> coin) & 1));
}

/**
 * @typedef {{kind: string, mode: CastMode, throws: Throw[], at: string}} KeptCast
 * @type {KeptCast}
 */
const NOTHING = { kind: "career", mode: "auto", throws: [], at: "" };

/** @returns {KeptCast} */
function readKept() {
  try {
    return JSON.parse(readDraft(DRAFT));
  } catch {
    return NOTHING;
  }
}

/** Forget a cast that the server has. @param {string[]} lines */
export function forgetCast(lines) {
  if (String(readKept().throws.map((each) => each.line)) === String(lines)) storeDraft(DRAFT, "");
}

export class Casting {
  /**
   * @param {boolean} isKept whether it goes on where the tab left it: coins are thrown once about a matter, also when
   * one has to sign in before the reading
   */
  constructor(isKept = false) {
    const { kind, mode, throws, at } = isKept ? readKept() : NOTHING;
    this.kind = signal(kind);
    /** @type {import("../../vendor/preact.js").Signal<CastMode>} */
    this.mode = signal(mode);
    /** @type {import("../../vendor/preact.js").Signal<Throw[]>} */
    this.throws = signal(mode === "auto" && throws.length < 6 ? [] : throws);
    /** When the sixth line was there, or empty. */
    this.at = at;
    if (isKept) effect(() => this.#keep());
    this.faces = signal([false, true, true]);
    this.spinning = signal(false);
    this.busy = signal(false);
    this.skipped = false;
  }

  #keep() {
    const throws = this.throws.value;
    const isBegun = throws.length > 0;
    const kept = JSON.stringify({ kind: this.kind.value, mode: this.mode.value, throws, at: this.at });
    storeDraft(DRAFT, isBegun ? kept : "");
  }

  /** @param {Throw[]} throws */
  #set(throws) {
    this.at = throws.length === 6 ? formatMoment() : "";
    this.throws.value = throws;
  }

  get lines() {
    return this.throws.value.map((each) => each.line);
  }

  get isComplete() {
    return this.throws.value.length === 6;
  }

  get method() {
    return this.mode.value === "auto" ? METHODS.auto : METHODS.manual;
  }

  /** @param {CastMode} mode */
  choose(mode) {
    this.mode.value = mode;
    this.clear();
  }

  clear() {
    this.#set([]);
    this.spinning.value = false;
  }

  /** @param {number} coin */
  turn(coin) {
    this.faces.value = this.faces.value.map((face, place) => (place === coin ? !face : face));
  }

  /** Record the coins as they lie. */
  record() {
    if (this.isComplete) return;
    const faces = [...this.faces.value];
    this.#set([...this.throws.value, { line: LINES_BY_COUNT[countFaces(faces)], faces }]);
  }

  undo() {
    this.#set(this.throws.value.slice(0, -1));
  }

  skip() {
    this.skipped = true;
  }

  /** Throw six times; each throw takes its time unless it is skipped. */
  async throwAll() {
    this.clear();
    this.busy.value = true;
    this.skipped = calm.matches;
    while (!this.isComplete) {
      this.spinning.value = !this.skipped;
      await this.#wait(SPIN_MS);
      this.faces.value = throwCoins();
      this.spinning.value = false;
      this.record();
      await this.#wait(REST_MS);
    }
    this.busy.value = false;
  }

  /** @param {number} ms */
  async #wait(ms) {
    const end = performance.now() + ms;
    while (!this.skipped && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 30));
  }

  /** Take typed lines: numbers 6 to 9 or names, from 初爻 to 上爻; none if there are too many. @param {string} text */
  type(text) {
    const typed = text.normalize("NFKC").match(/[6-9]|[少老][阳阴陽陰]/gu) ?? [];
    const lines = typed.map((word) => LINES_BY_NUMBER[word] ?? word.replace("陽", "阳").replace("陰", "阴"));
    this.#set(lines.length > 6 ? [] : lines.map((line) => ({ line, faces: [] })));
    return typed.length;
  }
}

/** The present moment in RFC 3339 with the offset of this machine. */
export function formatMoment(date = new Date()) {
  /** @param {number} value */
  const two = (value) => String(Math.trunc(Math.abs(value))).padStart(2, "0");
  const offset = -date.getTimezoneOffset();
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day}T${time}${offset < 0 ? "-" : "+"}${two(offset / 60)}:${two(offset % 60)}`;
}
