// A chart: the server's picture at once; on request one that can be touched.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { ApiProblem } from "../../kit/api.js";
import { ProblemNotice } from "../../kit/problems.js";
import { saveFile } from "../../kit/save_file.js";
import { t } from "../../kit/words.js";
import { renderChart } from "./tables_api.js";

const WIDE_PX = 640;

/** @typedef {{address: string, width: number}} SizedPicture */

let LiveChart = /** @type {any} */ (null); // Loaded when a chart is touched first; the picture stays until then.

/** Decode a picture before it is shown: it then takes its place at once. @param {string} address */
async function decode(address) {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  return { address, width: picture.naturalWidth };
}

/**
 * The picture of a chart: an address that is valid as long as the component is shown, and its width.
 * @param {any} drawn what `render-chart` draws
 */
export function useChartPicture(drawn) {
  const picture = useSignal(/** @type {SizedPicture | null} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    let made = "";
    let isGone = false;
    renderChart(drawn, "svg")
      .then((blob) => decode((made = URL.createObjectURL(blob))))
      .then(
        (read) => {
          if (isGone) URL.revokeObjectURL(made);
          else picture.value = read;
        },
        (error) => {
          if (!isGone) problem.value = error;
        },
      );
    return () => {
      isGone = true;
      URL.revokeObjectURL(made);
    };
  }, [drawn]);
  return { picture, problem };
}

/** @param {any} drawn */
const savePng = async (drawn) => saveFile(await renderChart(drawn, "png"), "chart.png");

/** A picture; a wide one has the row for itself, on a phone it is moved sideways. @param {{picture: SizedPicture, title: string}} props */
function Picture({ picture, title }) {
  const isMoved = useSignal(false);
  /** @param {any} event */
  const measure = ({ currentTarget: { parentElement: frame } }) => {
    isMoved.value = frame.scrollWidth > frame.clientWidth;
  };
  return html`<div class="picture" tabindex=${isMoved.value ? 0 : undefined}><img class=${picture.width > WIDE_PX ? "chart wide" : "chart"} src=${picture.address} alt=${title} onLoad=${measure} /></div>`;
}

/** @param {{drawn: any, title: string}} props */
export function PlainPicture({ drawn, title }) {
  const { picture, problem } = useChartPicture(drawn);
  if (problem.value) return html`<${ProblemNotice} problem=${problem.value} />`;
  if (!picture.value) return html`<div class="picture-shape" aria-hidden="true"><span class="shape"></span></div>`;
  return html`<${Picture} picture=${picture.value} title=${title} />`;
}

/** @param {{drawn: {vega_lite: any}, title: string}} props */
export function ChartPicture({ drawn, title }) {
  const { picture, problem } = useChartPicture(drawn);
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
    ${isLive.value ? html`<${LiveChart} spec=${drawn.vega_lite} title=${title} onProblem=${fail} />` : picture.value ? html`<${Picture} picture=${picture.value} title=${title} />` : !problem.value && shape}
    <div class="row no-print">
      <button type="button" class="button plain" aria-pressed=${isLive.value} onClick=${turn}>${t(isLive.value ? "data.as_picture" : "data.touch")}</button>
      ${picture.value && html`<a class="button plain" href=${picture.value.address} download="chart.svg">SVG</a><button type="button" class="button plain" onClick=${() => savePng(drawn).catch(fail)}>PNG</button>`}
    </div>`;
}
