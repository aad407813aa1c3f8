// The profile's language follows that of the pages, so that agents answer in the language one reads.

import { request } from "./api.js";
import { pageData } from "./page_data.js";

/** @param {string} tag a language of the pages */
const toSettings = (tag) =>
  tag === "en" ? { ai_language: "en" } : { ai_language: "zh-CN", script: tag === "zh-Hant" ? "hant" : "hans" };

/** @param {string} tag */
export const changeProfileLanguage = (tag) =>
  request("/api/v1/profile", { method: "PATCH", body: { settings: toSettings(tag) } });

let isSynced = false;

/** Bring the profile to the language of this page, once; a failure does not hold up what comes next. */
export async function syncLanguage() {
  if (isSynced) return;
  const wanted = /** @type {Record<string, string>} */ (toSettings(pageData.language));
  try {
    const { settings } = await request("/api/v1/profile");
    if (Object.keys(wanted).some((name) => settings[name] !== wanted[name]))
      await changeProfileLanguage(pageData.language);
    isSynced = true;
  } catch {
    // The run itself tells what is wrong.
  }
}
