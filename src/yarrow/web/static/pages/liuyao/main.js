// 六爻: ask, cast, read, ask once more, compare.

import { html, signal, useMemo } from "../../vendor/preact.js";
import { interceptLinks, mountPage } from "../../kit/client_page.js";
import { isUuid, newId } from "../../kit/ids.js";
import { storeDraft } from "../../kit/drafts.js";
import { ProblemNotice } from "../../kit/problems.js";
import { t } from "../../kit/words.js";
import { Casting } from "./casting.js";
import { Compose } from "./compose.js";
import { DivinationHistory } from "./history.js";
import { DivinationSession } from "./session.js";
import { DivinationView } from "./view.js";

/** @typedef {{session: DivinationSession | null, other: DivinationSession | null, bad: boolean}} Place */

const place = signal(/** @type {Place} */ ({ session: null, other: null, bad: false }));
const stamp = signal(0);

/** @param {string | undefined} id */
function open(id) {
  if (!id || !isUuid(id)) return null;
  const session = new DivinationSession(id);
  void session.load();
  return session;
}

/** Read the address; a view has one of its own. */
function readAddress() {
  const [, , id] = location.pathname.split("/");
  const other = new URLSearchParams(location.search).get("with") ?? "";
  place.value.session?.leave();
  place.value.other?.leave();
  place.value = { session: open(id), other: open(other), bad: Boolean(id) && !isUuid(id) };
  stamp.value += 1;
}

/** @param {string} address */
function go(address) {
  history.pushState(null, "", address);
  readAddress();
  document.getElementById("main")?.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

/** @param {DivinationSession} session */
function show(session) {
  history.pushState(null, "", `/liuyao/${session.threadId}`);
  place.value = { session, other: null, bad: false };
  document.getElementById("main")?.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

function ComposeView() {
  const casting = useMemo(() => new Casting(true), []);
  /** @param {string} question @param {string} kind */
  const cast = (question, kind) => {
    const session = new DivinationSession(newId());
    session.cast({ question, kind, method: casting.method, lines: casting.lines, at: casting.at });
    storeDraft("liuyao", "");
    show(session);
  };
  return html`<header class="page-head"><h1>${t("liuyao.title")}</h1><p class="lead">${t("liuyao.lead")}</p></header>
    <${Compose} casting=${casting} onCast=${cast} />`;
}

const Missing = () => html`<div class="empty"><h2>${t("liuyao.missing")}</h2><p>${t("liuyao.missing_text")}</p></div>`;

/** @param {{session: DivinationSession}} props */
function SessionView({ session }) {
  switch (session.phase.value) {
    case "missing":
      return html`<${Missing} />`;
    case "failed":
      return html`<${ProblemNotice} problem=${session.problem.value} onRetry=${() => session.load()} />`;
    default:
      return html`<${DivinationView} session=${session} />`;
  }
}

const follow = interceptLinks("/liuyao", go);

function App() {
  const { session, other, bad } = place.value;
  /** @param {string} id */
  const compare = (id) => go(`/liuyao/${session?.threadId}?with=${id}`);
  const isMissing = bad || session?.phase.value === "missing";
  return html`<div onClick=${follow}>
    ${
      session || bad
        ? html`<div class="row spread page-row no-print"><h1>${t("liuyao.title")}</h1><div class="row">${other && html`<a class="button" href=${`/liuyao/${session?.threadId}`}>${t("liuyao.compare_end")}</a>`}<a class="button" href="/liuyao">${t("liuyao.new")}</a></div></div>`
        : html`<${ComposeView} key=${stamp.value} />`
    }
    ${bad && html`<${Missing} />`}
    ${
      session &&
      (other
        ? html`<div class="compare"><${SessionView} session=${session} key=${session.threadId} /><${SessionView} session=${other} key=${other.threadId} /></div>`
        : html`<${SessionView} session=${session} key=${session.threadId} />`)
    }
    <section class="history no-print" aria-labelledby="history-title">
      <h2 id="history-title">${t("history.title")}</h2>
      <${DivinationHistory} current=${session?.threadId} onCompare=${session && !isMissing ? compare : undefined} stamp=${stamp.value + (session?.answered ?? 0)} />
    </section>
  </div>`;
}

addEventListener("popstate", readAddress);
readAddress();
mountPage(App);
