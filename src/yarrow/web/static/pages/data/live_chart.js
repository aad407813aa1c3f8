// A chart that can be touched: Vega itself, loaded when it is asked for. Expressions are interpreted, not compiled
// to functions, and tooltips are nodes: the page allows neither `eval` nor HTML from strings.

import { html, useEffect, useRef, useSignal } from "../../vendor/preact.js";
import { formatNumber, t } from "../../kit/words.js";

const CONTINUOUS = new Set(["quantitative", "temporal"]);
const SILENT = 0;
const EDGE = 6; // Half of a point, in pixels.

/** Nothing is loaded: the rows are in the spec. */
const refuse = () => Promise.reject(new Error("charts load nothing"));

/** Lines tell their values at points, large enough to be hit. @param {any} mark */
function addPoints(mark) {
  const type = mark?.type ?? mark;
  if (type !== "line" && type !== "area") return mark;
  const { point, ...rest } = typeof mark === "object" ? mark : { type, point: null };
  return { ...rest, point: { ...(typeof point === "object" ? point : {}), size: 70 } };
}

/** @param {any} view @returns {any[]} the view and all views in it */
const listViews = (view) => [
  view,
  ...[view.spec, ...(view.layer ?? []), ...(view.hconcat ?? []), ...(view.vconcat ?? [])]
    .filter(Boolean)
    .flatMap(listViews),
];

/**
 * Tooltips show dates as they are in the rows: Vega replaces those on an axis by numbers. Changes the spec.
 * @param {any} spec
 */
function keepDates(spec) {
  const views = listViews(spec);
  const channels = views.flatMap((view) => Object.values(view.encoding ?? {}).flat());
  const dates = [...new Set(channels.filter((each) => each?.type === "temporal").map((each) => each.field))];
  if (!Array.isArray(spec.data?.values) || !dates.length) return;
  spec.data.values = spec.data.values.map((/** @type {any} */ row) => ({
    ...row,
    ...Object.fromEntries(dates.map((field, place) => [`as_read_${place}`, row[field]])),
  }));
  for (const { encoding } of views)
    for (const entry of [encoding?.tooltip ?? []].flat())
      if (dates.includes(entry.field))
        Object.assign(entry, {
          title: entry.title ?? entry.field,
          field: `as_read_${dates.indexOf(entry.field)}`,
          type: "nominal",
        });
}

/**
 * Add dragging and zooming where both axes are continuous; tooltips to marks that have none.
 * @param {any} given
 */
function makeTouchable(given) {
  const spec = structuredClone(given);
  keepDates(spec);
  const { x, y } = spec.encoding ?? {};
  const zooms = spec.mark && CONTINUOUS.has(x?.type) && CONTINUOUS.has(y?.type) && !x.bin && !y.bin;
  if (zooms) spec.encoding.x = { ...x, scale: { padding: EDGE, ...x.scale } }; // What can be moved is cut at the edges.
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
  const touchable = makeTouchable(spec);
  place.classList.toggle("zooms", "zoom" === touchable.params?.at(-1)?.name);
  const compiled = compile(touchable, { logger: quiet }).spec;
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
