// Code in colours: comments, strings, numbers, keywords and names. It knows how families of languages look, not one exactly.

const LONGEST = 20_000; // Characters: a longer text is data.

const QUOTED = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const END = String.raw`(?![\s\S])`; // Where nothing closes a comment or a text it is the rest: each start would read all of it.
const NUMBER = String.raw`\b\d[\w.]*`;

/** @param {string} words */
const anyOf = (words) => String.raw`\b(?:${words.replaceAll(" ", "|")})\b`;

/** @param {{comment?: string, string?: string, name?: string, keyword?: string}} forms @param {string} [flags] */
function makePattern({ comment = "(?!)", string = QUOTED, name = "(?!)", keyword = "(?!)" }, flags = "") {
  const kinds = { comment, name, string, keyword, number: NUMBER };
  const parts = Object.entries(kinds).map(([kind, form]) => `(?<${kind}>${form})`);
  return new RegExp(parts.join("|"), `gm${flags}`);
}

const HASH = String.raw`(?<![^\s])#.*`;
const C_COMMENT = String.raw`\/\/.*|\/\*[\s\S]*?(?:\*\/|${END})`;

const SHELL = makePattern({
  comment: HASH,
  string: String.raw`"(?:[^"\\]|\\[\s\S])*"|'[^']*'`,
  name: String.raw`\$\{?\w+\}?|(?<=\s)--?[A-Za-z][\w-]*`,
  keyword: anyOf("if then elif else fi for in while do done case esac function export"),
});
const PYTHON = makePattern({
  comment: HASH,
  string: String.raw`[rbfRBF]{0,2}(?:"""[\s\S]*?(?:"""|${END})|'''[\s\S]*?(?:'''|${END})|${QUOTED})`,
  name: String.raw`(?<=\b(?:def|class) )\w+|^[ \t]*@[\w.]+`,
  keyword: anyOf(
    "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield",
  ),
});
const C_LIKE = makePattern({
  comment: C_COMMENT,
  string: `${QUOTED}|${"`(?:[^`\\\\]|\\\\[\\s\\S])*`"}`,
  keyword: anyOf(
    "abstract as async await bool boolean break case catch char class const continue default defer do double else enum export extends false final finally float fn for func function go if impl implements import in int interface let long match mod mut namespace new null package private protected pub public return self static string struct super switch this throw true try type typeof undefined union use using var void while yield",
  ),
});
const SQL = makePattern(
  {
    comment: String.raw`--.*|\/\*[\s\S]*?(?:\*\/|${END})`,
    string: "'(?:[^']|'')*'",
    name: String.raw`"(?:[^"]|"")*"`,
    keyword: anyOf(
      "all and any as asc between by case cast count create cross delete desc distinct drop else end except exists false from full group having in inner insert intersect into is join lateral left like limit not null offset on or order outer over partition primary references returning right select set table then true union unnest update using values when where window with",
    ),
  },
  "i",
);
const JSON_LINES = makePattern({
  name: String.raw`"(?:[^"\\\n]|\\.)*"(?=\s*:)`,
  keyword: anyOf("true false null"),
});
const SETTINGS = makePattern({
  comment: HASH,
  name: String.raw`^[ \t]*(?:- )?[\w."-]+(?=[ \t]*[:=])|^[ \t]*\[.+\]`,
  keyword: anyOf("true false null yes no"),
});
const MARKUP = makePattern({ comment: `<!--[\\s\\S]*?(?:-->|${END})`, keyword: String.raw`<\/?[\w:-]+|\/?>` });

/** @type {[RegExp, string][]} */
const FAMILIES = [
  [SHELL, "sh bash shell zsh console dockerfile makefile make"],
  [PYTHON, "py python python3"],
  [
    C_LIKE,
    "js javascript jsx ts typescript tsx java kotlin kt c h cpp c++ cs csharp go rust rs swift php dart scala css scss",
  ],
  [SQL, "sql postgresql postgres mysql sqlite duckdb"],
  [JSON_LINES, "json jsonl json5 ndjson"],
  [SETTINGS, "yaml yml toml ini env properties"],
  [MARKUP, "html xml svg vue"],
];
const PATTERNS = new Map(FAMILIES.flatMap(([pattern, names]) => names.split(" ").map((name) => [name, pattern])));

/**
 * Split code into pieces, each with the kind that has a colour, or none; joined they are the code. A language that is not
 * known has one piece.
 * @param {string} code @param {string} language
 * @returns {{kind: string, text: string}[]}
 */
export function splitCode(code, language) {
  const pattern = PATTERNS.get(language.toLowerCase());
  if (!pattern || code.length > LONGEST) return [{ kind: "", text: code }];
  const pieces = [];
  let last = 0;
  for (const match of code.matchAll(pattern)) {
    if (!match[0]) continue;
    if (match.index > last) pieces.push({ kind: "", text: code.slice(last, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [""];
    pieces.push({ kind, text: match[0] });
    last = match.index + match[0].length;
  }
  if (last < code.length) pieces.push({ kind: "", text: code.slice(last) });
  return pieces;
}

/** Colour a block that the server rendered. @param {Element} block */
export function colourBlock(block) {
  const language = /language-(\S+)/.exec(block.className)?.[1] ?? "";
  const nodes = splitCode(block.textContent ?? "", language).map(({ kind, text }) => {
    if (!kind) return text;
    const span = document.createElement("span");
    span.className = `code-${kind}`;
    span.textContent = text;
    return span;
  });
  if (nodes.length > 1) block.replaceChildren(...nodes);
}
