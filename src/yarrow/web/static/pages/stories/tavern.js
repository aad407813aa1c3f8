// Calls to the tavern routes: their envelope, the kinds of assets, and files that are imported.

import { ApiProblem, readProblem, request, send } from "../../kit/api.js";
import { limits } from "../../kit/page_data.js";
import { requireSize } from "../../kit/problems.js";
import { saveFile } from "../../kit/save_file.js";

/**
 * @typedef {object} AssetKind
 * @property {string} name also the last part of its words
 * @property {string} path of its routes
 * @property {string} [exported] name of its export route
 */

/** @type {AssetKind[]} */
export const KINDS = [
  { name: "character", path: "/characters", exported: "character" },
  { name: "preset", path: "/presets", exported: "preset" },
  { name: "worldbook", path: "/worldbooks", exported: "worldbook" },
  { name: "regex", path: "/regex-profiles", exported: "regex" },
  { name: "persona", path: "/users" },
];

/** @param {string} name */
export const findKind = (name) => KINDS.find((kind) => kind.name === name);

/**
 * @param {string} path
 * @param {{method?: string, body?: unknown, signal?: AbortSignal}} [options]
 */
export const call = async (path, options) => (await request(path, options)).data;

/** @param {string} code @returns {never} */
function refuse(code) {
  throw new ApiProblem(0, code, code);
}

/** The kind of a file by what is in it. @param {any} content */
export function guessKind(content) {
  if (Array.isArray(content))
    return content.length && content.every((each) => each?.findRegex !== undefined) ? "regex" : "";
  if (typeof content !== "object" || content === null) return "";
  if ("findRegex" in content) return "regex";
  if (content.spec || "first_mes" in content || content.data?.first_mes !== undefined) return "character";
  if ("entries" in content) return "worldbook";
  if ("prompts" in content || "prompt_order" in content || "temperature" in content) return "preset";
  return "name" in content && "description" in content ? "persona" : "";
}

/**
 * @typedef {{kind: string, id: string, session?: string}} Imported
 */

/**
 * Import a file of SillyTavern: a card (PNG or JSON), a preset, a worldbook, regex scripts or a chat.
 * @param {File} file
 * @param {boolean} opensStory whether a story is begun with a character
 * @returns {Promise<Imported>}
 */
export async function importFile(file, opensStory) {
  requireSize(file, limits.story_file_bytes);
  if (file.type === "image/png" || /\.png$/i.test(file.name)) return importCard(file, opensStory);
  const text = await file.text();
  if (/\.jsonl$/i.test(file.name)) {
    const made = await call("/import/chat", { method: "POST", body: { data: text, title: stem(file.name) } });
    return { kind: "chat", id: made.session_id, session: made.session_id };
  }
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    refuse("FILE_NOT_JSON");
  }
  return importContent(content, stem(file.name), opensStory);
}

/** @param {string} name */
const stem = (name) => name.replace(/\.[^.]+$/, "");

/** @param {File} file @param {boolean} opensStory @returns {Promise<Imported>} */
async function importCard(file, opensStory) {
  const form = new FormData();
  form.set("file", new File([file], file.name, { type: "image/png" }));
  if (opensStory) form.set("create_session", "true");
  const response = await send("/import/character", { method: "POST", body: form });
  if (!response.ok) throw await readProblem(response);
  const { data } = await response.json();
  if (data.session && !data.session.title)
    await call(`/sessions/${data.session.id}`, { method: "PATCH", body: { title: data.name } });
  return { kind: "character", id: data.character_id, session: data.session?.id };
}

/** @param {any} content @param {string} name @param {boolean} opensStory @returns {Promise<Imported>} */
export async function importContent(content, name, opensStory) {
  const kind = guessKind(content);
  if (!kind) refuse("FILE_UNKNOWN");
  if (kind === "character") {
    const title = content.data?.name ?? content.name;
    const body = { payload: content, create_session: opensStory, ...(opensStory && title ? { title } : {}) };
    const data = await call("/import/character", { method: "POST", body });
    return { kind, id: data.character_id, session: data.session?.id };
  }
  const path = kind === "persona" ? "/users" : `/import/${kind}`;
  const body = kind === "persona" ? { data: content } : { name, data: content };
  return { kind, id: (await call(path, { method: "POST", body })).id };
}

/** Save what a route answers as a file. @param {string} path @param {string} name */
export async function download(path, name) {
  const response = await send(path);
  if (!response.ok) throw await readProblem(response);
  saveFile(await response.blob(), name);
  return response.headers;
}
