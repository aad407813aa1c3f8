// Words, dates and numbers in the language of the page.

import { pageData } from "./page_data.js";

/**
 * Return the words of a key, with `{name}` replaced by the parameter of that name. Words with a form for one and a form
 * for many, with `|` between them, are chosen by `count`, else by the first parameter.
 * @param {string} key
 * @param {Record<string, string | number>} [params]
 * @returns {string}
 */
export function t(key, params = {}) {
  const words = pageData.words[key];
  if (words === undefined) throw new Error(`no words for ${key}`);
  const [one, many = one] = words.split(" | ");
  const form = String(params.count ?? Object.values(params)[0]) === "1" ? one : many;
  return form.replace(/\{(\w+)\}/g, (whole, name) => String(params[name] ?? whole));
}

/**
 * @param {string} key
 * @returns {boolean}
 */
export const hasWords = (key) => key in pageData.words;

/**
 * Make a value when it is first asked for: a formatter takes 10 ms, and most pages need one or two of them.
 * @template T
 * @param {() => T} make
 * @returns {() => T}
 */
function once(make) {
  /** @type {T | undefined} */
  let made;
  return () => (made ??= make());
}

/** @param {Intl.DateTimeFormatOptions} options */
const dateFormat = (options) => once(() => new Intl.DateTimeFormat(pageData.language, options));
/** @param {Intl.NumberFormatOptions} [options] */
const numberFormat = (options) => once(() => new Intl.NumberFormat(pageData.language, options));

const timeOfDay = dateFormat({ timeStyle: "short" });
const dayOfYear = dateFormat({ month: "short", day: "numeric" });
const wholeDate = dateFormat({ dateStyle: "medium", timeStyle: "short" });
const plainNumber = numberFormat();
const dataNumber = numberFormat({ useGrouping: "min2", maximumSignificantDigits: 15 });

/** Small numbers are the same in all languages of the pages. @param {number} value */
export const formatNumber = (value) =>
  Number.isInteger(value) && Math.abs(value) < 1000 ? String(value) : plainNumber().format(value);

/** A limit of bytes, in binary megabytes. @param {number} bytes */
export const formatMegabytes = (bytes) => `${formatNumber(Math.floor(bytes / 2 ** 20))} MB`;

/** Characters as the server counts them: code points. @param {string} text */
export const countCharacters = (text) => [...text].length;

/** A value of somebody's data: digits are grouped from five on, so that years stay years. @param {number} value */
export const formatDatum = (value) => dataNumber().format(value);

/** @param {string | Date} value */
export const formatDate = (value) => wholeDate().format(new Date(value));

/**
 * The time if it was today, else the day.
 * @param {string} value
 */
export function formatRecent(value) {
  const date = new Date(value);
  const isToday = date.toDateString() === new Date().toDateString();
  return (isToday ? timeOfDay : dayOfYear)().format(date);
}

const GUESSED = 500;

/**
 * The language tag of text whose language is only known from its characters: terms of the art are
 * Chinese in English text as well. Its beginning is enough: an answer is asked with each frame of it.
 * @param {string} text
 */
export function guessLanguage(text) {
  const start = text.slice(0, GUESSED);
  const chinese = start.match(/\p{Script=Han}/gu)?.length ?? 0;
  const words = start.match(/[A-Za-z]+/g)?.length ?? 0;
  if (chinese <= words * 2) return "en";
  return pageData.language === "en" ? "zh-Hans" : pageData.language;
}
