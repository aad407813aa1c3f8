// Words, dates and numbers in the language of the page.

import { pageData } from "./page_data.js";

/**
 * Return the words of a key, with `{name}` replaced by the parameter of that name.
 * @param {string} key
 * @param {Record<string, string | number>} [params]
 * @returns {string}
 */
export function t(key, params = {}) {
  const words = pageData.words[key];
  if (words === undefined) throw new Error(`no words for ${key}`);
  return words.replace(/\{(\w+)\}/g, (whole, name) => String(params[name] ?? whole));
}

/**
 * @param {string} key
 * @returns {boolean}
 */
export const hasWords = (key) => key in pageData.words;

const timeOfDay = new Intl.DateTimeFormat(pageData.language, { hour: "2-digit", minute: "2-digit" });
const dayOfYear = new Intl.DateTimeFormat(pageData.language, { month: "short", day: "numeric" });
const wholeDate = new Intl.DateTimeFormat(pageData.language, { dateStyle: "medium", timeStyle: "short" });
const plainNumber = new Intl.NumberFormat(pageData.language);
const dataNumber = new Intl.NumberFormat(pageData.language, { useGrouping: "min2", maximumSignificantDigits: 15 });

/** @param {number} value */
export const formatNumber = (value) => plainNumber.format(value);

/** A value of somebody's data: digits are grouped from five on, so that years stay years. @param {number} value */
export const formatDatum = (value) => dataNumber.format(value);

/** @param {string | Date} value */
export const formatDate = (value) => wholeDate.format(new Date(value));

/**
 * The time if it was today, else the day.
 * @param {string} value
 */
export function formatRecent(value) {
  const date = new Date(value);
  const isToday = date.toDateString() === new Date().toDateString();
  return (isToday ? timeOfDay : dayOfYear).format(date);
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
