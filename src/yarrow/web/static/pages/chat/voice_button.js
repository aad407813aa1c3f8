// Speak instead of typing: record, transcribe over the public route, put the words into the field.

import { html, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { ApiProblem, readProblem, send } from "../../kit/api.js";
import { pageData } from "../../kit/page_data.js";
import { canRecord, Recorder } from "../../kit/recorder.js";
import { t } from "../../kit/words.js";

const LONGEST_MS = 5 * 60 * 1000; // The server takes five and a half minutes.

/** @param {Blob} recording @returns {Promise<string>} */
async function transcribe(recording) {
  const form = new FormData();
  form.set("audio", recording, "question.wav");
  form.set("language", pageData.language.split("-")[0]);
  const response = await send("/api/v1/agent/transcribe", { method: "POST", body: form });
  if (!response.ok) throw await readProblem(response);
  return (await response.json()).transcript;
}

/** Only where a recogniser is configured and the browser can record. */
const isOffered = () => (pageData.speech ?? "none") !== "none" && canRecord();

/** @param {{onText: (text: string) => void, onProblem: (problem: any) => void}} props */
export function VoiceButton({ onText, onProblem }) {
  const phase = useSignal(/** @type {"idle" | "opening" | "recording" | "reading"} */ ("idle"));
  const recorder = useRef(/** @type {Recorder | null} */ (null));
  const timer = useRef(0);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
      clearTimeout(timer.current);
      recorder.current?.discard();
    },
    [],
  );
  const finish = async () => {
    clearTimeout(timer.current);
    phase.value = "reading";
    try {
      const text = await transcribe(await /** @type {Recorder} */ (recorder.current).finish());
      if (text.trim()) onText(text.trim());
      else onProblem({ code: "VOICE_SILENT", message: "" });
    } catch (error) {
      onProblem(error instanceof ApiProblem ? error : { code: "VOICE_UNREADABLE", message: String(error) });
    }
    phase.value = "idle";
  };
  const begin = async () => {
    onProblem(null);
    phase.value = "opening";
    try {
      recorder.current = await Recorder.open();
    } catch {
      if (isGone.current) return;
      phase.value = "idle";
      onProblem({ code: "VOICE_REFUSED", message: "" });
      return;
    }
    if (isGone.current) {
      recorder.current.discard(); // The page was left while the browser asked for the microphone.
      return;
    }
    phase.value = "recording";
    timer.current = window.setTimeout(finish, LONGEST_MS);
  };
  if (!isOffered()) return null;
  const isRecording = phase.value === "recording";
  const name = {
    idle: "chat.speak",
    opening: "chat.speak",
    recording: "chat.speak_end",
    reading: "chat.speak_reading",
  }[phase.value];
  return html`<button type="button" class="icon voice" aria-label=${t(name)} title=${t(name)} aria-pressed=${isRecording} disabled=${phase.value === "opening" || phase.value === "reading"} onClick=${isRecording ? finish : begin}>
      <svg viewBox="0 0 24 24" aria-hidden="true"><rect x="9" y="3.5" width="6" height="11" rx="3" /><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3" /></svg>
    </button>
    <span class="unseen" role="status">${isRecording ? t("chat.speak_listening") : phase.value === "reading" ? t("chat.speak_reading") : ""}</span>`;
}
