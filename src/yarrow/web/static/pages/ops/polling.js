// Reading a route again every few seconds.

import { useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";

export const OPERATIONS = "/api/v1/operations";
const REFRESH_MS = 3000;

/** Ask again every few seconds while the page is seen. @param {string} path @param {any[]} inputs */
export function usePolled(path, inputs) {
  const found = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const attempts = useSignal(0); // Since the server was reached last.
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    const fail = (/** @type {any} */ error) => {
      if (abort.signal.aborted) return;
      attempts.value = error.code === "NETWORK" ? attempts.value + 1 : 0;
      problem.value = error.code === "NETWORK" ? null : error;
    };
    const load = async () => {
      if (!document.hidden)
        await request(path, { signal: abort.signal }).then(
          (data) => ((found.value = data), (problem.value = null), (attempts.value = 0)),
          fail,
        );
      if (!abort.signal.aborted) timer = window.setTimeout(load, REFRESH_MS);
    };
    found.value = null;
    void load();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, inputs);
  return { found, problem, attempts };
}
