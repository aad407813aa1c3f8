// Addresses of the views: lists, an asset, a story with its branch, floor and open panel.

import { signal } from "../../vendor/preact.js";
import { interceptLinks } from "../../kit/client_page.js";
import { isUuid } from "../../kit/ids.js";
import { findKind } from "./tavern.js";

/**
 * @typedef {object} View
 * @property {"index" | "library" | "asset" | "story" | "missing"} name
 * @property {string} [id]
 * @property {string} [kind]
 * @property {URLSearchParams} query
 */

/** @type {import("../../vendor/preact.js").Signal<View>} */
export const view = signal(readView());

/** @returns {View} */
function readView() {
  const [, , first, kind, id] = location.pathname.split("/");
  const query = new URLSearchParams(location.search);
  if (!first) return { name: "index", query };
  if (first !== "library") return isUuid(first) ? { name: "story", id: first, query } : { name: "missing", query };
  if (!findKind(kind || "character")) return { name: "missing", query };
  if (!id) return { name: "library", kind: kind || "character", query };
  return isUuid(id) ? { name: "asset", kind, id, query } : { name: "missing", query };
}

export function readAddress() {
  view.value = readView();
}

/** @param {string} address */
export function go(address) {
  history.pushState(null, "", address);
  readAddress();
}

/** Change parts of the query; empty values remove them. @param {Record<string, string>} changes */
export function changeQuery(changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ""));
}

/** Let links below `/stories` change the view without a new page. */
export const followLink = interceptLinks("/stories", (address) => {
  go(address);
  window.scrollTo({ top: 0 });
});
