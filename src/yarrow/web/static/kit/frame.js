// What every page does: the theme and language switches, copy buttons, the list of shortcuts.

import { html, render } from "../vendor/preact.js";
import { isTyping } from "./keys.js";
import { hasAccounts } from "./page_data.js";
import { changeProfileLanguage } from "./profile.js";
import { t } from "./words.js";

const THEMES = ["auto", "light", "dark"];

function watchTheme() {
  const button = /** @type {HTMLButtonElement | null} */ (document.getElementById("theme"));
  if (!button) return;
  const root = document.documentElement;
  /** @param {string} theme */
  const show = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    const words = button.dataset[theme] ?? "";
    button.setAttribute("aria-label", words);
    button.title = words;
  };
  let theme = root.dataset.theme ?? "auto";
  show(theme);
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    localStorage.setItem("yarrow.theme", theme);
    show(theme);
  });
}

function watchLanguage() {
  const select = /** @type {HTMLSelectElement | null} */ (document.getElementById("language"));
  select?.addEventListener("change", async () => {
    document.cookie = `yarrow_language=${select.value}; path=/; max-age=31536000; samesite=lax`;
    await changeProfileLanguage(select.value).catch(() => undefined);
    location.reload();
  });
}

/** @param {HTMLElement} block */
function addCopyButton(block) {
  const frame = document.createElement("div");
  frame.className = "copyable";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = t("frame.copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(`${block.innerText.trimEnd()}\n`);
    button.textContent = t("frame.copied");
    setTimeout(() => (button.textContent = t("frame.copy")), 1600);
  });
  block.replaceWith(frame);
  frame.append(block, button);
}

const SHORTCUTS = [
  ["?", "shortcut.help"],
  ["/", "shortcut.write"],
  ["g h", "shortcut.home"],
  ["g l", "shortcut.liuyao"],
  ["g c", "shortcut.chat"],
  ["g s", "shortcut.stories"],
  ["g t", "shortcut.data"],
  ["g d", "shortcut.docs"],
  ["g a", "shortcut.account"],
  ["g o", "shortcut.ops"],
  ["← →", "shortcut.pages"],
  ["Esc", "shortcut.close"],
];
const PLACES = /** @type {Record<string, string>} */ ({
  h: "/",
  l: "/liuyao",
  c: "/chat",
  s: "/stories",
  t: "/data",
  d: "/docs",
  a: "/account",
  o: "/ops",
});

function showShortcuts() {
  const dialog = document.createElement("dialog");
  dialog.className = "sheet";
  dialog.setAttribute("aria-label", t("frame.shortcuts"));
  const rows = SHORTCUTS.map(
    ([keys, words]) => html`<dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${t(words)}</dd>`,
  );
  const close = () => dialog.close();
  render(
    html`<h2>${t("frame.shortcuts")}</h2><dl class="keys">${rows}</dl>
      <button type="button" class="button" onClick=${close}>${t("frame.close")}</button>`,
    dialog,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function watchKeys() {
  let pressed = "";
  document.addEventListener("keydown", (event) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (pressed === "g" && PLACES[event.key]) location.assign(PLACES[event.key]);
    if (event.key === "?" && !document.querySelector("dialog[open]")) showShortcuts();
    if (event.key === "/") {
      const field = /** @type {HTMLElement | null} */ (
        document.querySelector("main textarea, main input[type=text], main input[type=search]")
      );
      if (field) event.preventDefault();
      field?.focus();
    }
    pressed = event.key;
  });
}

/** On a phone the pages are a row to scroll: begin at the open one. */
function showCurrentPage() {
  const current = /** @type {HTMLElement | null} */ (document.querySelector(".pages [aria-current]"));
  if (current?.parentElement) current.parentElement.scrollLeft = current.offsetLeft - current.offsetWidth;
}

showCurrentPage();
watchTheme();
watchLanguage();
watchKeys();
const blocks = document.querySelectorAll("pre > code[class^=language-]");
if (blocks.length) void import("./highlight.js").then(({ colourBlock }) => blocks.forEach(colourBlock));
if (navigator.clipboard) for (const block of document.querySelectorAll("pre")) addCopyButton(block);
if (hasAccounts) document.documentElement.dataset.accounts = "on";
