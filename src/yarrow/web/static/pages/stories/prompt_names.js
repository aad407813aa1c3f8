// What the prompts of a preset are called: a trace has their identifiers, which SillyTavern makes up.

import { call } from "./tavern.js";

/** @type {Map<string, Promise<Map<string, string>>>} By the preset and its version. */
const loaded = new Map();

/** @param {string} id @returns {Promise<Map<string, string>>} */
const load = (id) =>
  call(`/presets/${id}`).then(
    ({ data }) => new Map((data.prompts ?? []).map((/** @type {any} */ each) => [each.identifier, each.name ?? ""])),
    () => new Map(), // It was deleted.
  );

/** A prompt with the names of its entries. @param {any} prompt */
export async function addNames(prompt) {
  const { id, version } = prompt.assets?.preset ?? {};
  if (!id) return { ...prompt, names: new Map() };
  const key = `${id}/${version}`;
  if (!loaded.has(key)) loaded.set(key, load(id));
  return { ...prompt, names: await loaded.get(key) };
}
