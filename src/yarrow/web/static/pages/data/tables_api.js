// The table routes: they answer errors in an envelope with status 200.

import { ApiProblem, readProblem, send } from "../../kit/api.js";
import { pageData } from "../../kit/page_data.js";
import { parseExactly, readJsonLines } from "../../kit/streams.js";

/** @param {Response} response */
async function unwrap(response) {
  if (!response.ok) throw await readProblem(response);
  const body = parseExactly(await response.text());
  if (body.status === "error") {
    const { code, message, note } = body.error;
    throw new ApiProblem(200, code, message, note ? { note } : {});
  }
  return body.data;
}

/** @param {string} path @param {any} [body] @param {{keepalive?: boolean}} [options] */
export async function callTables(path, body, options) {
  if (body === undefined) return unwrap(await send(path));
  const isForm = body instanceof FormData;
  return unwrap(
    await send(path, {
      method: "POST",
      headers: isForm ? {} : { "content-type": "application/json" },
      body: isForm ? body : JSON.stringify(body),
      ...options,
    }),
  );
}

/**
 * Options of a request for lines.
 * @param {any} [body] without one it is a GET
 * @param {Record<string, string>} [headers]
 * @returns {{method: string, headers: Record<string, string>, body?: string}}
 */
export function describeLines(body, headers) {
  const sent = { accept: "application/x-ndjson", "accept-language": pageData.language, ...headers };
  if (body === undefined) return { method: "GET", headers: sent };
  return { method: "POST", headers: { "content-type": "application/json", ...sent }, body: JSON.stringify(body) };
}

/** The lines of a response; an envelope in their place is a problem. @param {Response} response @param {() => void} [onBytes] */
export async function* readResponseLines(response, onBytes) {
  if (!response.ok || !response.body) throw await readProblem(response);
  const isLines = response.headers.get("content-type")?.includes("ndjson");
  if (!isLines) await unwrap(response);
  yield* readJsonLines(response.body, onBytes);
}

/**
 * The chart as the server draws it.
 * @param {any} drawn `{vega_lite}`, or a description of the chart with its rows
 * @param {"svg" | "png"} format
 */
export async function renderChart(drawn, format) {
  const response = await send(`/api/agent/render-chart?format=${format}&scale=2`, {
    method: "POST",
    headers: { "content-type": "application/json", "accept-language": pageData.language },
    body: JSON.stringify(drawn),
  });
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("image/")) await unwrap(response);
  return response.blob();
}
