// A chart that can be touched: Vega itself, loaded when it is asked for. Expressions are interpreted, not compiled
// to functions, and tooltips are nodes: the page allows neither `eval` nor HTML from strings.

import { html, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { formatNumber, t } from "../../kit/words.js";

const CONTINUOUS = new Set(["quantitative", "temporal"]);
const SILENT = 0;

/** Nothing is loaded: the rows are in the spec. */
const refuse = () => Promise.reject(new Error("charts load nothing"));

/** Lines get points, which are easier to hit than a stroke. @param {any} mark */
function addPoints(mark) {
  const type = mark?.type ?? mark;
  if (type !== "line" && type !== "area") return mark;
  return { point: { size: 60 }, ...(typeof mark === "object" ? mark : { type }) };
}

/**
 * Add dragging and zooming where both axes are continuous; tooltips to marks that have none.
 * @param {any} spec
 */
function makeTouchable(spec) {
  const { x, y } = spec.encoding ?? {};
  const zooms = spec.mark && CONTINUOUS.has(x?.type) && CONTINUOUS.has(y?.type) && !x.bin && !y.bin;
  const params = zooms ? [...(spec.params ?? []), { name: "zoom", select: "interval", bind: "scales" }] : spec.params;
  const config = { ...spec.config, mark: { tooltip: true, ...spec.config?.mark } };
  return { ...spec, config, ...(spec.mark && { mark: addPoints(spec.mark) }), ...(params && { params }) };
}

/** @param {unknown} value @returns {[string, string][]} */
function readTooltip(value) {
  if (value === null || value === undefined || value === "") return [];
  if (typeof value !== "object") return [["", String(value)]];
  return Object.entries(value).map(([name, each]) => [
    name,
    typeof each === "number" ? formatNumber(each) : String(each),
  ]);
}

/**
 * @param {any} spec a Vega-Lite specification
 * @param {HTMLElement} place
 * @param {(facts: [string, string][], event: MouseEvent) => void} onPoint
 */
async function draw(spec, place, onPoint) {
  const { compile, expressionInterpreter, parse, View } = await import("../../vendor/vega.js");
  const quiet = { warn: () => quiet, info: () => quiet, debug: () => quiet, error: () => quiet, level: () => quiet };
  const compiled = compile(makeTouchable(spec), { logger: quiet }).spec;
  const view = new View(parse(compiled, undefined, { ast: true }), {
    renderer: "canvas",
    container: place,
    hover: true,
    expr: expressionInterpreter,
    loader: { load: refuse, sanitize: refuse, http: refuse, file: refuse },
    logLevel: SILENT,
    tooltip: (
      /** @type {any} */ _handler,
      /** @type {MouseEvent} */ event,
      /** @type {any} */ _item,
      /** @type {unknown} */ value,
    ) => onPoint(readTooltip(value), event),
  });
  await view.runAsync();
  return view;
}

/** @param {{spec: any, title: string, onProblem: (problem: any) => void}} props */
export function LiveChart({ spec, title, onProblem }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const tip = useRef(/** @type {HTMLElement | null} */ (null));
  const facts = useSignal(/** @type {[string, string][]} */ ([]));
  const isReady = useSignal(false);
  useEffect(() => {
    let view = /** @type {any} */ (null);
    let isGone = false;
    const point = (/** @type {[string, string][]} */ shown, /** @type {MouseEvent} */ event) => {
      facts.value = shown;
      if (!shown.length || !frame.current || !tip.current) return;
      const box = frame.current.getBoundingClientRect();
      const left = event.clientX - box.left;
      tip.current.style.left = `${Math.min(left + 14, Math.max(box.width - 180, 0))}px`;
      tip.current.style.top = `${event.clientY - box.top + 14}px`;
    };
    draw(spec, /** @type {HTMLElement} */ (place.current), point).then(
      (made) => {
        view = made;
        isReady.value = true;
        if (isGone) view.finalize();
      },
      (error) => onProblem({ code: "CHART_NOT_DRAWN", message: String(error) }),
    );
    return () => {
      isGone = true;
      view?.finalize();
    };
  }, [spec]);
  return html`<div class="live-chart" ref=${frame} aria-busy=${!isReady.value}>
    <div ref=${place} role="img" aria-label=${title}></div>
    <dl ref=${tip} class="tip" hidden=${!facts.value.length}>${facts.value.map(([name, value]) => html`<div>${name && html`<dt>${name}</dt>`}<dd>${value}</dd></div>`)}</dl>
    ${!isReady.value && html`<p class="note">${t("data.loading_chart")}</p>`}
  </div>`;
}
