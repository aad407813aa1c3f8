// Reading an answer aloud by voices of this device. Those of a service are not used: words would leave the machine.

import { html, signal, useEffect, useMemo } from "../vendor/preact.js";
import { IconButton } from "./icons.js";
import { guessLanguage, t } from "./words.js";

const TAGS = /** @type {Record<string, string[]>} */ ({
  en: ["en"],
  "zh-Hans": ["zh-cn", "cmn", "zh"],
  "zh-Hant": ["zh-tw", "zh-hk", "zh", "cmn"],
});

const SPOKEN = ".markdown > div > :not(.copyable)"; // Code is not.

const speech = window.speechSynthesis;
const listVoices = () => (speech?.getVoices() ?? []).filter((voice) => voice.localService);
const voices = signal(listVoices());
speech?.addEventListener?.("voiceschanged", () => (voices.value = listVoices())); // Some browsers load them late.

/** Which answer is read. @type {import("../vendor/preact.js").Signal<object | null>} */
const current = signal(null);

/** @param {string} language */
function findVoice(language) {
  /** @param {string} tag */
  const find = (tag) => voices.value.find(({ lang }) => lang.replace("_", "-").toLowerCase().startsWith(tag));
  return TAGS[language].map(find).find(Boolean);
}

function stop() {
  speech.cancel();
  current.value = null;
}
addEventListener("pagehide", () => current.value && stop());

/** Paragraph by paragraph: browsers cut a long text. @param {object} reader @param {string[]} texts @param {SpeechSynthesisVoice} voice */
function read(reader, texts, voice) {
  stop();
  current.value = reader;
  const end = () => current.value === reader && (current.value = null);
  texts.forEach((text, place) => {
    const part = new window.SpeechSynthesisUtterance(text);
    part.voice = voice;
    part.lang = voice.lang;
    part.onerror = end;
    if (place === texts.length - 1) part.onend = end;
    speech.speak(part);
  });
}

/** Not shown where the device has no voice of the language. @param {{text: string, element: () => Element | null | undefined}} props the text, and the element that shows it */
export function ReadAloudButton({ text, element }) {
  const reader = useMemo(() => ({}), []);
  useEffect(() => () => void (current.peek() === reader && stop()), []);
  const voice = findVoice(guessLanguage(text));
  if (!voice || !text) return null;
  const isReading = current.value === reader;
  const turn = () => {
    const blocks = [...(element()?.querySelectorAll(SPOKEN) ?? [])].map((block) => block.textContent ?? "");
    if (isReading) stop();
    else if (blocks.length) read(reader, blocks, voice);
  };
  return html`<${IconButton} name=${isReading ? "stop" : "speak"} label=${t(isReading ? "chat.read_stop" : "chat.read_aloud")} onClick=${turn} />`;
}
