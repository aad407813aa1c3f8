// A table to try the page with, in its language.

import { t } from "../../kit/words.js";

const MONTHS = 12;

/** Places that sell more, less and the same from month to month, with a summer that is good for one of them. */
const SALES = [
  { first: 110, step: 14, summer: 0 },
  { first: 260, step: -4, summer: 0 },
  { first: 170, step: 3, summer: 90 },
];

/** @returns {File} */
export function makeExample() {
  const places = t("data.example_places").split(",");
  const rows = SALES.flatMap(({ first, step, summer }, place) =>
    Array.from({ length: MONTHS }, (_, month) => {
      const revenue = first + step * month + (month >= 5 && month <= 7 ? summer : 0);
      return `2026-${String(month + 1).padStart(2, "0")},${places[place]},${revenue},${Math.round(revenue / 7)}`;
    }),
  );
  const text = [t("data.example_columns"), ...rows, ""].join("\n");
  return new File([text], `${t("data.example_name")}.csv`, { type: "text/csv" });
}
