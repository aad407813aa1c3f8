// The table routes: they answer errors in an envelope with status 200.

import { ApiProblem, readProblem, send } from "../../kit/api.js";
import { pageData } from "../../kit/page_data.js";

/** @param {Response} response */
async function unwrap(response) {
  if (!response.ok) throw await readProblem(response);
  const body = await response.json();
  if (body.status === "error") throw new ApiProblem(200, body.error.code, body.error.message);
  return body.data;
}

/** @param {string} path @param {any} [body] */
export async function callTables(path, body) {
  if (body === undefined) return unwrap(await send(path));
  const isForm = body instanceof FormData;
  return unwrap(
    await send(path, {
      method: "POST",
      headers: isForm ? {} : { "content-type": "application/json" },
      body: isForm ? body : JSON.stringify(body),
    }),
  );
}

/**
 * Start a stream of lines.
 * @param {string} path
 * @param {any} [body] without one it is a GET
 * @param {AbortSignal} [signal]
 */
export async function openLines(path, body, signal) {
  const response = await send(path, {
    method: body ? "POST" : "GET",
    headers: { "content-type": "application/json", "accept-language": pageData.language },
    body: body ? JSON.stringify(body) : undefined,
    signal,
  });
  if (!response.ok || !response.body) throw await readProblem(response);
  const isLines = response.headers.get("content-type")?.includes("ndjson");
  if (!isLines) await unwrap(response);
  return response.body;
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
