// A chart: the server's picture at once; on request one that can be touched.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { ApiProblem } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { saveFile } from "../../kit/save_file.js";
import { t } from "../../kit/words.js";
import { renderChart } from "./tables_api.js";

const WIDE_PX = 640;

let LiveChart = /** @type {any} */ (null); // Loaded when a chart is touched first; the picture stays until then.

/**
 * The picture of a chart as an address that is valid as long as the component is shown.
 * @param {any} drawn what `render-chart` draws
 */
export function useChartPicture(drawn) {
  const address = useSignal("");
  const problem = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    let made = "";
    let isGone = false;
    renderChart(drawn, "svg").then(
      (blob) => {
        if (!isGone) address.value = made = URL.createObjectURL(blob);
      },
      (error) => (problem.value = error),
    );
    return () => {
      isGone = true;
      URL.revokeObjectURL(made);
    };
  }, [drawn]);
  return { address, problem };
}

/** @param {any} drawn */
const savePng = async (drawn) => saveFile(await renderChart(drawn, "png"), "chart.png");

/** A picture; a wide one has the row for itself, on a phone it is moved sideways. @param {{address: string, title: string}} props */
function Picture({ address, title }) {
  const isWide = useSignal(false);
  const isMoved = useSignal(false);
  /** @param {any} event */
  const measure = ({ currentTarget: { naturalWidth, parentElement: frame } }) => {
    isWide.value = naturalWidth > WIDE_PX;
    isMoved.value = frame.scrollWidth > frame.clientWidth;
  };
  return html`<div class="picture" tabindex=${isMoved.value ? 0 : undefined}><img class=${isWide.value ? "chart wide" : "chart"} src=${address} alt=${title} onLoad=${measure} /></div>`;
}

/** @param {{drawn: any, title: string}} props */
export function PlainPicture({ drawn, title }) {
  const { address, problem } = useChartPicture(drawn);
  if (problem.value) return html`<${ProblemNotice} problem=${problem.value} />`;
  if (!address.value) return html`<div class="picture-shape" aria-hidden="true"><span class="shape"></span></div>`;
  return html`<${Picture} address=${address.value} title=${title} />`;
}

/** @param {{drawn: {vega_lite: any}, title: string}} props */
export function ChartPicture({ drawn, title }) {
  const { address, problem } = useChartPicture(drawn);
  const isLive = useSignal(false);
  const fail = (/** @type {any} */ error) => {
    isLive.value = false;
    problem.value = error;
  };
  const turn = async () => {
    try {
      LiveChart ??= (await import("./live_chart.js")).LiveChart;
      isLive.value = !isLive.value;
    } catch (error) {
      fail(new ApiProblem(0, "NETWORK", String(error)));
    }
  };
  const shape = html`<div class="picture-shape" aria-hidden="true"><span class="shape"></span></div>`;
  return html`${problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    ${isLive.value ? html`<${LiveChart} spec=${drawn.vega_lite} title=${title} onProblem=${fail} />` : address.value ? html`<${Picture} address=${address.value} title=${title} />` : !problem.value && shape}
    <div class="row no-print">
      <button type="button" class="button plain" aria-pressed=${isLive.value} onClick=${turn}>${t(isLive.value ? "data.as_picture" : "data.touch")}</button>
      ${address.value && html`<a class="button plain" href=${address.value} download="chart.svg">SVG</a><button type="button" class="button plain" onClick=${() => savePng(drawn).catch(fail)}>PNG</button>`}
    </div>`;
}
