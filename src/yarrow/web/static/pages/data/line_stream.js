// A stream of the analyst, followed through lost connections and hidden tabs.

import { followStream } from "../../kit/run_client.js";
import { describeLines, readResponseLines } from "./tables_api.js";

/** @typedef {{session: string, run: string}} LineRun the ids of a run; empty until its first line has told them */

/** @type {import("../../kit/run_client.js").ReadFrames} */
async function* readFrames(response, onBytes) {
  for await (const line of readResponseLines(response, onBytes)) yield { id: 0, name: line.type, event: line };
}

/**
 * Follow a run to its last line; each connection sends its lines from the first. With a key the run goes on without the
 * page and is asked for once; without one it ends with its connection, and is asked for again.
 * @param {object} stream
 * @param {string} stream.path @param {any} stream.body @param {string} [stream.key]
 * @param {LineRun} [stream.run] is changed when they are known
 * @param {() => void} stream.onBegin before the first line of each connection
 * @param {(line: any) => boolean} stream.onLine whether it was the last one
 * @param {(attempts: number) => void} [stream.onConnection]
 * @param {AbortSignal} signal
 */
export function followLines(
  { path, body, key, run = { session: "", run: "" }, onBegin, onLine, onConnection },
  signal,
) {
  let isBeginning = true;
  const open = () => {
    isBeginning = true;
    if (run.session) {
      const query = run.run ? `?run_id=${encodeURIComponent(run.run)}` : "";
      return { path: `/api/agent/runs/${run.session}${query}`, options: describeLines() };
    }
    if (!key) return { path, options: describeLines(body) };
    return { path: `${path}?on_disconnect=continue`, options: describeLines(body, { "idempotency-key": key }) };
  };
  const onFrame = (/** @type {any} */ line) => {
    if (isBeginning) onBegin();
    isBeginning = false;
    if (key && line.run_id) Object.assign(run, { session: line.session_id, run: line.run_id });
    return onLine(line);
  };
  return followStream({ open, read: readFrames, onFrame, onConnection }, signal);
}
