// The events of a run in time: a row for each group, a bar on a common scale, pauses as rows.

import { html } from "../../vendor/preact.js";
import { formatNumber, t } from "../../kit/words.js";

const PAUSE_S = 1;
const COLUMNS = ["numbers", "kind", "count", "characters"];

/** @param {number} seconds */
const formatSeconds = (seconds) => t("ops.seconds", { count: formatNumber(Math.round(seconds * 10) / 10) });

/**
 * Seconds from the acceptance of the run; times of older versions are null.
 * @param {string | null} moment
 * @param {number} began
 */
const offset = (moment, began) => (moment === null ? null : Math.max(0, (Date.parse(moment) - began) / 1000));

/**
 * A bar from one moment to another, on the scale of the whole run.
 * @param {{from: number, to: number, total: number, kind?: string}} props
 */
function Bar({ from, to, total, kind = "" }) {
  const scale = 1000 / (total || 1);
  return html`<svg class="event-bar" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true"><rect class="scale" width="1000" height="12" /><rect class=${kind} x=${Math.min(994, from * scale)} width=${Math.max(6, (to - from) * scale)} height="12" /></svg>`;
}

/** @param {{from: number, to: number, total: number, words: string}} props */
const Pause = ({ from, to, total, words }) =>
  html`<tr class="pause"><td>${formatSeconds(from)}</td><td><${Bar} from=${from} to=${to} total=${total} kind="pause" /></td><td colspan=${COLUMNS.length}><b>${formatSeconds(to - from)}</b> ${words}</td></tr>`;

/** @param {{run: any, events: any[]}} props */
export function EventTimeline({ run, events }) {
  const began = Date.parse(run.created_at);
  const moments = events.flatMap((each) => [offset(each.first_at, began), offset(each.last_at, began)]);
  const total = Math.max(
    offset(run.ended_at ?? new Date().toISOString(), began) ?? 0,
    ...moments.map((each) => each ?? 0),
  );
  let last = 0;
  const rows = events.flatMap((each, place) => {
    const [from, to] = [moments[2 * place], moments[2 * place + 1]];
    const isAttempt = place > 0 && each.first_seq > events[place - 1].last_seq + 1;
    const row = html`<tr key=${place} class=${isAttempt ? "gap" : ""}><td>${from === null ? "–" : formatSeconds(from)}</td><td>${from !== null && to !== null && html`<${Bar} from=${from} to=${to} total=${total} />`}</td><th scope="row">${each.first_seq}${each.last_seq > each.first_seq && html`–${each.last_seq}`}</th><td><code>${each.kind}</code>${isAttempt && html` <span class="badge warning">${t("ops.gap")}</span>`}</td><td>${formatNumber(each.count)}</td><td>${each.text_chars ? formatNumber(each.text_chars) : ""}</td></tr>`;
    const pause =
      from !== null &&
      from - last >= PAUSE_S &&
      html`<${Pause} key=${`before ${place}`} from=${last} to=${from} total=${total} words=${t(place ? "ops.pause" : "ops.waited")} />`;
    last = to ?? last;
    return [pause, row];
  });
  if (!run.ended_at && total - last >= PAUSE_S)
    rows.push(html`<${Pause} key="now" from=${last} to=${total} total=${total} words=${t("ops.pause_now")} />`);
  return html`<div class="wide-table" tabindex="0"><table class="events"><thead><tr><th scope="col">${t("ops.time")}</th><td></td>${COLUMNS.map((name) => html`<th scope="col">${t(`ops.${name}`)}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
