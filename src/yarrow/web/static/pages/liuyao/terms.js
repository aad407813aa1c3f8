// Terms of the art as they are on the wire, and tables about them. Chinese here is data, not words of the page.

/** Lines by how many of three coins show 花. */
export const LINES_BY_COUNT = ["老阴", "少阳", "少阴", "老阳"];

/** Lines by the traditional numbers, for typed lines. */
export const LINES_BY_NUMBER = /** @type {Record<string, string>} */ ({ 6: "老阴", 7: "少阳", 8: "少阴", 9: "老阳" });

export const POSITIONS = ["初爻", "二爻", "三爻", "四爻", "五爻", "上爻"];

/** Kinds of questions: the value on the wire by the key of its words. */
export const KINDS = /** @type {Record<string, string>} */ ({
  career: "事业",
  wealth: "财运",
  love: "感情",
  study: "学业",
  health: "健康",
  travel: "出行",
  lost: "失物",
  lawsuit: "官司",
  other: "其他",
});

export const METHODS = { manual: "手动起卦", auto: "自动起卦" };

/** The moment of a cast, as the board tells it; null if it does not. @param {string} text */
export function readMoment(text) {
  const parts = text.match(/(\d+)年(\d+)月(\d+)日 (\d+):(\d+)/);
  if (!parts) return null;
  const [year, month, day, hour, minute] = parts.slice(1).map(Number);
  return new Date(year, month - 1, day, hour, minute);
}

const SPIRITS = /** @type {Record<string, string>} */ ({
  龙: "青龙",
  雀: "朱雀",
  陈: "勾陈",
  蛇: "螣蛇",
  虎: "白虎",
  武: "玄武",
});

/** @param {string} short */
export const nameSpirit = (short) => SPIRITS[short] ?? short;

/** The stems of 纳甲 by trigram, lines from below: inside and outside. */
const STEMS = /** @type {Record<string, [string, string]>} */ ({
  111: ["甲", "壬"],
  "000": ["乙", "癸"],
  100: ["庚", "庚"],
  "011": ["辛", "辛"],
  "010": ["戊", "戊"],
  101: ["己", "己"],
  "001": ["丙", "丙"],
  110: ["丁", "丁"],
});

/**
 * The stem of a line.
 * @param {string} binary six digits from 初爻 to 上爻
 * @param {number} position 1 to 6
 */
export function findStem(binary, position) {
  const isLower = position <= 3;
  const pair = STEMS[isLower ? binary.slice(0, 3) : binary.slice(3)];
  return pair ? pair[isLower ? 0 : 1] : "";
}

/** The unicode sign of a hexagram is not in its binary order, so it is drawn from its lines. @param {string} line */
export const isYang = (line) => line.endsWith("阳");

/** @param {string} line */
export const isMoving = (line) => line.startsWith("老");

/** @param {{isYang: boolean, isChanging: boolean}} info */
export const nameLine = (info) => `${info.isChanging ? "老" : "少"}${info.isYang ? "阳" : "阴"}`;

/** Short signs and tones of the marks beside a line. */
export const MARKS = /** @type {Record<string, [string, string]>} */ ({
  旬空: ["空", "gold"],
  月破: ["破", "gold"],
  日破: ["破", "gold"],
  暗动: ["暗", "red"],
  用神: ["用", "red"],
  元神: ["元", ""],
  忌神: ["忌", ""],
  仇神: ["仇", ""],
});
