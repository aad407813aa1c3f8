// Which fields of an asset have a form of their own; all others are edited as JSON.

/**
 * @typedef {object} FieldSpec
 * @property {string} name in the file, and the last part of its words
 * @property {"line" | "text" | "number" | "switch" | "list" | "words"} type `list`: texts one below the other; `words`: separated by commas
 * @property {boolean} [isInverted] a switch that is on when the field is false
 * @property {string[]} [names] all names of the field in files; the server reads the first one that has a value
 * @property {string} [opposite] a name under which the opposite may stand, which the server reads before all others
 * @typedef {object} AssetForm
 * @property {FieldSpec[]} fields
 * @property {FieldSpec[]} [entryFields]
 * @property {(data: any) => any} inner the object whose fields are edited
 * @property {(data: any) => any[]} [entries]
 * @property {(data: any, entries: any[]) => any} [withEntries]
 * @property {(entry: any) => string} [nameEntry]
 * @property {(entry: any, data: any) => boolean} [isOff]
 * @property {(data: any, entry: any, isOn: boolean) => any} [turn] switch an entry on or off, if it has no field for that
 * @property {(entry: any) => boolean} [isDisplayOnly] whether it changes only what is shown
 * @property {(entries: any[]) => any} [newEntry]
 */

/** @param {any} data */
const same = (data) => data;

/** @param {any} value */
const hasValue = (value) => value !== undefined && value !== null && value.length !== 0;

/** The value of a field as the server reads it. @param {FieldSpec} spec @param {any} object */
export function readField({ name, names = [name], opposite = "" }, object) {
  if (typeof object[opposite] === "boolean") return !object[opposite];
  return names.map((each) => object[each]).find(hasValue);
}

/** Set a field under each name that the file has for it. @param {FieldSpec} spec @param {any} object @param {any} value */
export function writeField({ name, names = [name], opposite = "" }, object, value) {
  const changed = { ...object };
  if (opposite in object) changed[opposite] = !value;
  const present = names.filter((each) => each in object);
  const written = present.length || opposite in object ? present : [name];
  for (const each of written) changed[each] = value;
  return changed;
}

/** @param {any[]} entries */
const nextUid = (entries) => entries.reduce((most, each) => Math.max(most, Number(each.uid ?? each.id) || 0), -1) + 1;

/** @type {FieldSpec} */
const DISABLE = { name: "disable", type: "switch", isInverted: true, opposite: "enabled" };

/**
 * Bring the tracks of a preset up to its prompts: a prompt that is in none of them is not sent.
 * @param {any} data @param {any[]} prompts
 */
function changePrompts(data, prompts) {
  const names = (/** @type {any[]} */ all) => all.map((each) => each.identifier);
  const [before, after] = [new Set(names(data.prompts ?? [])), new Set(names(prompts))];
  const added = [...after].filter((identifier) => !before.has(identifier));
  const changed = { ...data, prompts };
  if (!Array.isArray(data.prompt_order)) return changed;
  changed.prompt_order = data.prompt_order.map((/** @type {any} */ track) => ({
    ...track,
    order: [
      ...(track.order ?? []).filter(
        (/** @type {any} */ { identifier }) => after.has(identifier) || !before.has(identifier),
      ),
      ...added.map((identifier) => ({ identifier, enabled: true })),
    ],
  }));
  return changed;
}

/** The track of a preset that the server reads: the live one of SillyTavern, else the older one. @param {any} data @returns {any} */
function findTrack({ prompt_order: tracks }) {
  if (!Array.isArray(tracks)) return undefined;
  const find = (/** @type {number} */ id) => tracks.find((track) => track.character_id === id);
  return find(100001) ?? find(100000) ?? tracks[0];
}

/** @param {any} prompt @param {any} data */
function isPromptOff(prompt, data) {
  const track = findTrack(data);
  if (!track) return prompt.enabled === false;
  const place = track.order?.find((/** @type {any} */ each) => each.identifier === prompt.identifier);
  return !place || place.enabled === false;
}

/** @param {any} data @param {any} prompt @param {boolean} isOn */
function turnPrompt(data, prompt, isOn) {
  const track = findTrack(data);
  const set = (/** @type {any[]} */ all, /** @type {any} */ one) =>
    all.map((each) => (each === one ? { ...each, enabled: isOn } : each));
  if (!track) return { ...data, prompts: set(data.prompts, prompt) };
  const order = track.order ?? [];
  const place = order.find((/** @type {any} */ each) => each.identifier === prompt.identifier);
  const changed = place ? set(order, place) : [...order, { identifier: prompt.identifier, enabled: isOn }];
  const tracks = data.prompt_order.map((/** @type {any} */ each) =>
    each === track ? { ...each, order: changed } : each,
  );
  return { ...data, prompt_order: tracks };
}

/** @param {any[]} prompts */
function newPrompt(prompts) {
  const taken = new Set(prompts.map((each) => each.identifier));
  let number = prompts.length + 1;
  while (taken.has(`entry-${number}`)) number += 1;
  return { identifier: `entry-${number}`, name: "", role: "system", content: "" };
}

/** @type {Record<string, AssetForm>} */
export const FORMS = {
  character: {
    inner: (data) => data.data ?? data,
    fields: [
      { name: "name", type: "line" },
      { name: "description", type: "text" },
      { name: "personality", type: "text" },
      { name: "scenario", type: "text" },
      { name: "first_mes", type: "text" },
      { name: "alternate_greetings", type: "list" },
      { name: "mes_example", type: "text" },
      { name: "system_prompt", type: "text" },
      { name: "post_history_instructions", type: "text" },
    ],
  },
  persona: {
    inner: same,
    fields: [
      { name: "name", type: "line" },
      { name: "description", type: "text" },
    ],
  },
  preset: {
    inner: same,
    fields: [
      { name: "temperature", type: "number" },
      { name: "top_p", type: "number" },
      { name: "openai_max_context", type: "number" },
      { name: "openai_max_tokens", type: "number" },
    ],
    entryFields: [
      { name: "name", type: "line" },
      { name: "role", type: "line" },
      { name: "content", type: "text" },
    ],
    entries: (data) => data.prompts ?? [],
    withEntries: changePrompts,
    nameEntry: (entry) => entry.name || entry.identifier,
    newEntry: newPrompt,
    isOff: isPromptOff,
    turn: turnPrompt,
  },
  worldbook: {
    inner: same,
    fields: [],
    entryFields: [
      { name: "comment", type: "line" },
      { name: "key", type: "words", names: ["key", "keys"] },
      { name: "content", type: "text" },
      { name: "order", type: "number", names: ["insertion_order", "order"] },
      { name: "constant", type: "switch" },
      DISABLE,
    ],
    entries: (data) => Object.values(data.entries ?? {}),
    withEntries: (data, entries) => ({
      ...data,
      entries: Array.isArray(data.entries)
        ? entries
        : Object.fromEntries(entries.map((each, place) => [String(each.uid ?? place), each])),
    }),
    nameEntry: (entry) => entry.comment || entry.name || (entry.key ?? entry.keys ?? []).join(", ") || `#${entry.uid}`,
    isOff: (entry) => readField(DISABLE, entry) === true,
    newEntry: (entries) => ({
      uid: nextUid(entries),
      key: [],
      keysecondary: [],
      comment: "",
      content: "",
      constant: false,
      order: 100,
      position: 0,
      disable: false,
    }),
  },
  regex: {
    inner: same,
    fields: [],
    entryFields: [
      { name: "scriptName", type: "line" },
      { name: "findRegex", type: "line" },
      { name: "replaceString", type: "text" },
      { name: "disabled", type: "switch", isInverted: true },
    ],
    entries: (data) => (Array.isArray(data) ? data : []),
    withEntries: (_data, entries) => entries,
    nameEntry: (entry) => entry.scriptName || entry.findRegex,
    isOff: (entry) => entry.disabled === true,
    isDisplayOnly: (entry) => entry.markdownOnly === true && entry.promptOnly !== true,
    newEntry: () => ({
      scriptName: "",
      findRegex: "",
      replaceString: "",
      placement: [2],
      disabled: false,
      promptOnly: false,
      markdownOnly: false,
      runOnEdit: true,
      trimStrings: [],
      substituteRegex: 0,
    }),
  },
};
