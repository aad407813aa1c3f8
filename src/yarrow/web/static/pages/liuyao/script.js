// Text of the board in the script of the page: on the wire it is in simplified script.

import { pageData } from "../../kit/page_data.js";

/** @param {Record<string, string>} forms traditional ones; those of words go before those of characters */
function makeConverter(forms) {
  const words = Object.keys(forms).filter((form) => form.length > 1);
  const pattern = new RegExp([...words, "."].join("|"), "gsu");
  return (/** @type {string} */ text) => text.replace(pattern, (found) => forms[found] ?? found);
}

/** @type {(text: string) => string} */
const keep = (text) => text;

/** Terms and sentences of the board. */
export const inScript = pageData.hant ? makeConverter(pageData.hant.prose) : keep;

/** 卦辞 and 爻辞, which keep characters that are other ones in terms of the art. */
export const classicInScript = pageData.hant ? makeConverter(pageData.hant.classic) : keep;
