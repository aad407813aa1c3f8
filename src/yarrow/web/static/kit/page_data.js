// What the server put into the page for its scripts.

/**
 * @typedef {object} Limits `limits` of `GET /api/v1/configuration`
 * @property {number} message_characters
 * @property {number} message_pictures
 * @property {number} picture_bytes
 * @property {number} question_characters
 * @property {number} title_characters
 * @property {number} table_bytes
 * @property {number} story_file_bytes
 */

/**
 * @typedef {object} PageData
 * @property {string} language
 * @property {Record<string, string>} words
 * @property {string} [auth] `on` or `off`
 * @property {string} [model] `rules`, `offline`, `none` or `endpoint`
 * @property {string} [speech]
 * @property {Limits} [limits] in pages that are clients
 * @property {number} [run_points] what a successful run costs, in the same pages
 * @property {{prose: Record<string, string>, classic: Record<string, string>}} [hant] traditional forms, in pages that need them
 */

/** @type {PageData} */
export const pageData = JSON.parse(document.getElementById("page-data")?.textContent || "{}");

/** Whether callers need an account. */
export const hasAccounts = pageData.auth === "on";

/** What a successful run of the diviner or the assistant costs; those of rules and the built-in model are free. */
export const runPoints = pageData.model === "rules" || pageData.model === "offline" ? 0 : (pageData.run_points ?? 0);

/** What a request may have at most. */
export const limits = /** @type {Limits} */ (pageData.limits);
