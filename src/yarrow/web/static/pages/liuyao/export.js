// The board as a picture: the server's own SVG, and a PNG drawn from it.

import { readProblem, send } from "../../kit/api.js";
import { saveFile } from "../../kit/save_file.js";

const SCALE = 2;

/** @param {string} threadId */
async function fetchBoard(threadId) {
  const response = await send(`/api/v1/agent/sessions/${threadId}/board.svg`);
  if (!response.ok) throw await readProblem(response);
  return response.blob();
}

/** @param {string} threadId @param {string} name */
export async function saveSvg(threadId, name) {
  saveFile(await fetchBoard(threadId), `${name}.svg`);
}

/** @param {string} threadId @param {string} name */
export async function savePng(threadId, name) {
  const address = URL.createObjectURL(await fetchBoard(threadId));
  try {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = picture.naturalWidth * SCALE;
    canvas.height = picture.naturalHeight * SCALE;
    const context = canvas.getContext("2d");
    context?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    if (blob) saveFile(/** @type {Blob} */ (blob), `${name}.png`);
  } finally {
    URL.revokeObjectURL(address);
  }
}
