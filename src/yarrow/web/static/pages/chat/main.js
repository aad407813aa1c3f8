// Chat with the assistant.

import { html, signal, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { interceptLinks, mountPage } from "../../kit/client_page.js";
import { isUuid, newId } from "../../kit/ids.js";
import { ProblemNotice, SignedOutNotice } from "../../kit/problems.js";
import { StickToEnd } from "../../kit/stick_to_end.js";
import { t } from "../../kit/words.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { MessageList } from "./messages.js";
import { Sidebar } from "./sidebar.js";

const place = signal(/** @type {{conversation: Conversation | null}} */ ({ conversation: null }));
const stamp = signal(0);

function readAddress() {
  const [, , id] = location.pathname.split("/");
  place.value.conversation?.leave();
  if (id && !isUuid(id)) {
    place.value = { conversation: null };
    return;
  }
  const conversation = new Conversation(id || newId(), !id);
  if (id) void conversation.load();
  place.value = { conversation };
}

/** @param {string} address */
function go(address) {
  history.pushState(null, "", address);
  readAddress();
  stamp.value += 1;
}

/** @param {{onSend: (text: string) => void}} props */
const Empty = ({ onSend }) =>
  html`<div class="welcome"><h1>${t("chat.title")}</h1><p class="lead">${t("chat.lead")}</p><${SignedOutNotice} />
    <div class="row">${[1, 2, 3, 4].map((number) => html`<button type="button" class="chip" onClick=${() => onSend(t(`chat.example_${number}`))}>${t(`chat.example_${number}`)}</button>`)}</div></div>`;

/** @param {{conversation: Conversation}} props */
function ConversationView({ conversation }) {
  const isAway = useSignal(false);
  const sent = () => {
    if (location.pathname === "/chat") history.pushState(null, "", `/chat/${conversation.threadId}`);
    isAway.value = false;
  };
  /** @param {string} text */
  const ask = (text) => {
    conversation.ask(text);
    sent();
  };
  const watch = () => [conversation.run.value?.version.value, conversation.items.value, conversation.runs.value];
  const listedAs = `${conversation.isStored.value} ${conversation.isBusy}`;
  const lastListed = useRef(listedAs);
  useEffect(() => {
    if (lastListed.current !== listedAs) stamp.value += 1;
    lastListed.current = listedAs;
  }, [listedAs]);
  switch (conversation.phase.value) {
    case "loading":
      return html`<div class="messages" aria-hidden="true"><span class="shape"></span><span class="shape"></span><span class="shape w60"></span></div>`;
    case "missing":
      return html`<${Missing} />`;
    case "failed":
      return html`<${ProblemNotice} problem=${conversation.problem.value} onRetry=${() => conversation.load()} />`;
  }
  return html`${conversation.items.value.length ? html`<h1 class="unseen">${t("nav.chat")}</h1><${MessageList} conversation=${conversation} onSend=${ask} />` : html`<${Empty} onSend=${ask} />`}
    <div class="composer-dock">
      ${conversation.items.value.length > 0 && html`<${StickToEnd} watch=${watch} isAway=${isAway} />`}
      <${Composer} conversation=${conversation} onSent=${sent} />
    </div>`;
}

const Missing = () =>
  html`<div class="welcome"><h1>${t("chat.missing")}</h1><p>${t("chat.missing_text")}</p><a class="button primary" href="/chat">${t("chat.new")}</a></div>`;

const follow = interceptLinks("/chat", go);

function App() {
  const { conversation } = place.value;
  return html`<div class="chat-grid" onClick=${follow}>
    <aside class="sidebar" aria-label=${t("chat.past")}>
      <a class="button" href="/chat">${t("chat.new")}</a>
      <details open=${window.innerWidth > 900}><summary>${t("chat.past")}</summary><${Sidebar} current=${conversation?.threadId ?? ""} stamp=${stamp.value} onOpen=${(/** @type {string} */ id) => go(id ? `/chat/${id}` : "/chat")} /></details>
    </aside>
    <div class="talk">${conversation ? html`<${ConversationView} key=${conversation.threadId} conversation=${conversation} />` : html`<${Missing} />`}</div>
  </div>`;
}

addEventListener("popstate", readAddress);
readAddress();
mountPage(App);
