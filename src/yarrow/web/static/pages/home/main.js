// Home: a board that can be thrown on the spot, and the recent sessions of all agents.

import { html, render, signal, useMemo, useSignal } from "../../vendor/preact.js";
import { hasAccounts, limits } from "../../kit/page_data.js";
import { readToken } from "../../kit/api.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { newId } from "../../kit/ids.js";
import { FoundSessions, QUERY_CHARACTERS } from "../../kit/session_search.js";
import { makeSignInAddress } from "../../kit/problems.js";
import { RecentSessions } from "../../kit/recent_sessions.js";
import { countCharacters, formatNumber, t } from "../../kit/words.js";
import { Casting } from "../liuyao/casting.js";
import { Coins, Figure } from "../liuyao/coins.js";
import { DivinationSession } from "../liuyao/session.js";
import { DivinationView } from "../liuyao/view.js";

const DRAFT = "home";

/** @param {{onCast: (session: DivinationSession) => void}} props */
function ThrowForm({ onCast }) {
  const casting = useMemo(() => new Casting(), []);
  const question = useSignal(readDraft(DRAFT) || t("home.default_question"));
  const needsAccount = hasAccounts && !readToken();
  const over = countCharacters(question.value) - limits.question_characters;
  const isReady = question.value.trim() !== "" && over <= 0 && !casting.busy.value;
  /** @param {any} event */
  const write = (event) => {
    question.value = event.currentTarget.value;
    storeDraft(DRAFT, question.value);
  };
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    if (!isReady) return;
    await casting.throwAll();
    const session = new DivinationSession(newId());
    const { method, lines, at } = casting;
    session.cast({ question: question.value.trim(), kind: "other", method, lines, at });
    storeDraft(DRAFT, "");
    onCast(session);
  };
  return html`<form class="throw-form card" onSubmit=${submit}>
    <div class="throw-side">
      <label class="label" for="throw-question">${t("home.throw_label")}</label>
      <input id="throw-question" type="text" class="field ask" dir="auto" value=${question.value} onInput=${write} />
      <div class="row">
        <button class="button primary" disabled=${!isReady || needsAccount}>${t("cast.throw")}</button>
        ${casting.busy.value && html`<button type="button" class="button" onClick=${() => casting.skip()}>${t("cast.skip")}</button>`}
        ${over > 0 && html`<span class="count over">${t("cast.too_long", { over: formatNumber(over) })}</span>`}
      </div>
      <p class="note" role="status">${needsAccount ? html`${t("home.sign_in_first")} <a href=${makeSignInAddress()}>${t("account.sign_in")}</a>` : casting.busy.value ? t("cast.throwing", { number: Math.min(casting.throws.value.length + 1, 6) }) : t("home.throw_note")}</p>
    </div>
    <div class="throw-table"><${Coins} casting=${casting} canTurn=${false} /><${Figure} lines=${casting.lines} /></div>
  </form>`;
}

/** The session that was thrown here. */
const session = signal(/** @type {DivinationSession | null} */ (null));

/** The button that was pressed goes away, so the focus goes to what comes. @param {DivinationSession | null} next */
function show(next) {
  session.value = next;
  thrown.focus({ preventScroll: true });
}

function ThrowBoard() {
  if (!session.value) return html`<${ThrowForm} onCast=${show} />`;
  return html`<${DivinationView} session=${session.value} isBrief=${true} />
    <div class="row after">
      <a class="button primary" href=${`/liuyao/${session.value.threadId}`}>${t("home.open_reading")}</a>
      <button type="button" class="button" onClick=${() => show(null)}>${t("home.throw_again")}</button>
    </div>`;
}

const thrown = /** @type {HTMLElement} */ (document.getElementById("throw"));
thrown.replaceChildren();
render(html`<${ThrowBoard} />`, thrown);
const recent = document.querySelector("#recent .recent-list");
/** Told again when the session here has an answer. */
function Recent() {
  const words = useSignal("");
  const query = words.value.trim();
  const canSearch = !hasAccounts || readToken();
  return html`${canSearch && html`<input type="search" class="field search-all" dir="auto" maxlength=${QUERY_CHARACTERS} aria-label=${t("search.all")} placeholder=${t("search.all")} value=${words.value} onInput=${(/** @type {any} */ event) => (words.value = event.currentTarget.value)} />`}
    ${query ? html`<${FoundSessions} query=${query} />` : html`<${RecentSessions} limit=${8} stamp=${session.value?.answered} />`}`;
}
if (recent) render(html`<${Recent} />`, recent);
