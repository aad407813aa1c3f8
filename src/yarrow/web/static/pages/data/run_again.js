// The program of a chart run again over the present rows of its tables, and what came of it.

import { html, useMemo, useSignal } from "../../vendor/preact.js";
import { ProblemNotice } from "../../kit/problems.js";
import { formatNumber, t } from "../../kit/words.js";
import { PlainPicture } from "./chart_picture.js";
import { callTables } from "./tables_api.js";

/** @param {{chart: any}} props */
export function RunAgain({ chart }) {
  const { result, tables, question } = chart;
  const fresh = useSignal(/** @type {{rows: any[], row_count: number} | null} */ (null));
  const isBusy = useSignal(false);
  const problem = useSignal(/** @type {any} */ (null));
  const run = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    const { code, code_signature, refined_goal } = result;
    const input_tables = tables.map((/** @type {string} */ name) => ({ name }));
    const body = { input_tables, code, code_signature, output_variable: refined_goal.output_variable };
    await callTables("/api/agent/refresh-derived-data", body).then(
      (data) => (fresh.value = data),
      (error) => (problem.value = error),
    );
    isBusy.value = false;
  };
  const drawn = useMemo(() => {
    const { chart: description, field_metadata } = result.refined_goal;
    return fresh.value && { ...description, field_metadata, rows: fresh.value.rows };
  }, [fresh.value]);
  return html`<button type="button" class="button" disabled=${isBusy.value} onClick=${run}>${t(isBusy.value ? "data.running_again" : "data.run_again")}</button>
    ${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${
      fresh.value &&
      html`<div class="fresh" role="status">
        <p class="note">${t("data.ran_again", { rows: formatNumber(fresh.value.row_count) })}${fresh.value.row_count > fresh.value.rows.length && ` ${t("data.first_rows", { count: formatNumber(fresh.value.rows.length) })}`}</p>
        <${PlainPicture} drawn=${drawn} title=${question} />
      </div>`
    }`;
}
