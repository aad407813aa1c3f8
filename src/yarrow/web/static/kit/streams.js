// Server-sent events and lines of JSON out of a response body.

/**
 * @typedef {object} ServerSentEvent
 * @property {string} id
 * @property {string} name empty where there is none
 * @property {string} data
 */

/**
 * The lines of a body, whatever pieces it arrives in.
 * @param {ReadableStream<Uint8Array>} body
 * @param {() => void} [onBytes] called for each piece
 * @returns {AsyncGenerator<string>}
 */
async function* readLines(body, onBytes) {
  const decoder = /** @type {ReadableWritablePair<string, any>} */ (new TextDecoderStream());
  const reader = body.pipeThrough(decoder).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      onBytes?.();
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest) yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {() => void} [onBytes]
 * @returns {AsyncGenerator<ServerSentEvent>}
 */
export async function* readServerSentEvents(body, onBytes) {
  let id = "";
  let name = "";
  /** @type {string[]} */
  let data = [];
  for await (const raw of readLines(body, onBytes)) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (line === "") {
      if (data.length) yield { id, name, data: data.join("\n") };
      id = name = "";
      data = [];
    } else if (line.startsWith("data:")) {
      data.push(line.slice(5).replace(/^ /, ""));
    } else if (line.startsWith("id:")) {
      id = line.slice(3).trim();
    } else if (line.startsWith("event:")) {
      name = line.slice(6).trim();
    }
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {() => void} [onBytes]
 * @returns {AsyncGenerator<any>}
 */
export async function* readJsonLines(body, onBytes) {
  for await (const line of readLines(body, onBytes)) {
    if (line.trim()) yield parseExactly(line);
  }
}

/** Long whole numbers, which would be rounded, become texts. @param {string} text */
export const parseExactly = (text) => JSON.parse(text, /\d{16}/.test(text) ? keepDigits : undefined);

/** @param {string} _ @param {any} value @param {any} [context] */
const keepDigits = (_, value, context) => (/^-?\d{16,}$/.test(context?.source) ? context.source : value);
