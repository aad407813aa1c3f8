// The profile's language follows that of the pages, so that agents answer in the language one reads.

import { request } from "./api.js";
import { pageData } from "./page_data.js";

/** @param {string} tag a language of the pages */
const toSettings = (tag) =>
  /** @type {Record<string, string>} */ (
    tag === "en" ? { ai_language: "en" } : { ai_language: "zh-CN", script: tag === "zh-Hant" ? "hant" : "hans" }
  );

/** @param {Record<string, string>} settings */
const changeSettings = (settings) => request("/api/v1/profile", { method: "PATCH", body: { settings } });

/** Give a new profile the language of this page and the time zone of this machine. */
export const beginProfile = () =>
  changeSettings({ ...toSettings(pageData.language), timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });

/** @param {string} tag */
export const changeProfileLanguage = (tag) => changeSettings(toSettings(tag));

let isSynced = false;

/** Bring the profile to the language of this page, once; a failure does not hold up what comes next. */
export async function syncLanguage() {
  if (isSynced) return;
  const wanted = toSettings(pageData.language);
  try {
    const { settings } = await request("/api/v1/profile");
    if (Object.keys(wanted).some((name) => settings[name] !== wanted[name]))
      await changeProfileLanguage(pageData.language);
    isSynced = true;
  } catch {
    // The run itself tells what is wrong.
  }
}
