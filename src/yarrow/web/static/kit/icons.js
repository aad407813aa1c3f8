// Small line drawings for buttons.

import { html } from "../vendor/preact.js";

const PATHS = /** @type {Record<string, string>} */ ({
  done: "M5 13l4.5 4.5L19 7",
  copy: "M9 9h10v11H9zM6 15H5V4h10v2",
  again: "M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4",
  edit: "M5 19l1-4L16 5l3 3L9 18l-4 1z",
  hide: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM4 20L20 4",
  show: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  branch:
    "M7 8.5v7M7 3.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM7 15.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM17 6.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM17 11.5c0 3.5-10 1-10 4",
  prompt: "M5 5h14M5 9.5h9M5 14h14M5 18.5h6",
  speak: "M4 10v4h3l5 4V6L7 10H4zM15.5 9.5a4 4 0 0 1 0 5M18 7a7.5 7.5 0 0 1 0 10",
  stop: "M7 7h10v10H7z",
  state: "M5 6h14v12H5zM5 11h14M11 6v12",
  left: "M14.5 5l-7 7 7 7",
  right: "M9.5 5l7 7-7 7",
  close: "M6 6l12 12M18 6L6 18",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4.5v5M8 14.5v5",
});

/** @param {{name: string}} props */
export const Icon = ({ name }) => html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;

/** @param {{name: string, label: string, onClick: () => void, disabled?: boolean, pressed?: boolean}} props */
export const IconButton = ({ name, label, onClick, disabled = false, pressed }) =>
  html`<button type="button" class="icon" aria-label=${label} title=${label} aria-pressed=${pressed} disabled=${disabled} onClick=${onClick}><${Icon} name=${name} /></button>`;
