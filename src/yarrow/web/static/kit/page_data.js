// What the server put into the page for its scripts.

/**
 * @typedef {object} PageData
 * @property {string} language
 * @property {Record<string, string>} words
 * @property {string} [auth] `on` or `off`
 * @property {string} [model] `rules`, `offline`, `none` or `endpoint`
 * @property {string} [speech]
 * @property {{prose: Record<string, string>, classic: Record<string, string>}} [hant] traditional forms, in pages that need them
 */

/** @type {PageData} */
export const pageData = JSON.parse(document.getElementById("page-data")?.textContent || "{}");

/** Whether callers need an account. */
export const hasAccounts = pageData.auth === "on";
