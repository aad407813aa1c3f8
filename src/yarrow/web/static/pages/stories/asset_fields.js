// Which fields of an asset have a form of their own; all others are edited as JSON.

/**
 * @typedef {object} FieldSpec
 * @property {string} name in the file, and the last part of its words
 * @property {"line" | "text" | "number" | "switch" | "list" | "words"} type `list`: texts one below the other; `words`: separated by commas
 * @property {boolean} [isInverted] a switch that is on when the field is false
 * @typedef {object} AssetForm
 * @property {FieldSpec[]} fields
 * @property {FieldSpec[]} [entryFields]
 * @property {(data: any) => any} inner the object whose fields are edited
 * @property {(data: any) => any[]} [entries]
 * @property {(data: any, entries: any[]) => any} [withEntries]
 * @property {(entry: any) => string} [nameEntry]
 * @property {(entries: any[]) => any} [newEntry]
 */

/** @param {any} data */
const same = (data) => data;

/** @param {any[]} entries */
const nextUid = (entries) => entries.reduce((most, each) => Math.max(most, Number(each.uid ?? each.id) || 0), -1) + 1;

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
    withEntries: (data, prompts) => ({ ...data, prompts }),
    nameEntry: (entry) => entry.name || entry.identifier,
    newEntry: (entries) => ({ identifier: `entry-${entries.length + 1}`, name: "", role: "system", content: "" }),
  },
  worldbook: {
    inner: same,
    fields: [],
    entryFields: [
      { name: "comment", type: "line" },
      { name: "key", type: "words" },
      { name: "content", type: "text" },
      { name: "order", type: "number" },
      { name: "constant", type: "switch" },
      { name: "disable", type: "switch", isInverted: true },
    ],
    entries: (data) => Object.values(data.entries ?? {}),
    withEntries: (data, entries) => ({
      ...data,
      entries: Array.isArray(data.entries)
        ? entries
        : Object.fromEntries(entries.map((each, place) => [String(each.uid ?? place), each])),
    }),
    nameEntry: (entry) => entry.comment || (entry.key ?? entry.keys ?? []).join(", ") || `#${entry.uid}`,
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
