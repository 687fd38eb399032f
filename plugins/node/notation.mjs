// The notation, as far as canonical text goes: what a host sends is read, and the
// actions of examples are written.

export class NotationError extends Error {
  name = "NotationError";
}

const TOKEN = / *(?:([()])|"((?:[^"\\]|\\.)*)"|(:)?\|((?:[^|\\]|\\.)*)\||([^\s()"|;']+))/suy;
const ESCAPE = /\\(u\{([0-9a-fA-F]{1,6})\}|.)/gsu;
const SIMPLE = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "|": "|" };
const WORDS = new Map([["nil", () => []], ["t", () => true], ["false", () => false], ["null", () => null], ["{}", () => ({})]]);
const MAX_DEPTH = 64;

class Keyword extends String {}

function unescaped(text) {
  return text.replace(ESCAPE, (_, one, hex) => {
    if (hex) return String.fromCodePoint(parseInt(hex, 16));
    if (!(one in SIMPLE)) throw new NotationError("an escape that does not exist");
    return SIMPLE[one];
  });
}

function atom(m) {
  if (m[2] !== undefined) return unescaped(m[2]);
  if (m[4] !== undefined) return m[3] ? new Keyword(unescaped(m[4])) : unescaped(m[4]);
  const text = m[5];
  if (text[0] === ":") return new Keyword(text.slice(1));
  if (WORDS.has(text)) return WORDS.get(text)();
  return /^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/.test(text) ? Number(text) : text;
}

// list makes a plist an object, and another list an array.
function list(items) {
  if (!(items[0] instanceof Keyword)) return items.map(said);
  if (items.length % 2) throw new NotationError("a plist that ends with a key");
  const out = Object.create(null);
  for (let i = 0; i < items.length; i += 2) {
    if (!(items[i] instanceof Keyword)) throw new NotationError("a key that is no keyword");
    if (String(items[i]) in out) throw new NotationError("a key twice");
    out[String(items[i])] = said(items[i + 1]);
  }
  return out;
}

const said = (v) => (v instanceof Keyword ? String(v) : v);

// read reads one value: strings, numbers, true, false, null, arrays and objects.
export function read(text) {
  TOKEN.lastIndex = 0;
  const open = [];
  for (;;) {
    const at = TOKEN.lastIndex;
    const m = TOKEN.exec(text);
    if (!m) throw new NotationError(`no notation at ${at}`);
    let value;
    if (m[1] === "(") {
      if (open.length >= MAX_DEPTH) throw new NotationError("too deep");
      open.push([]);
      continue;
    } else if (m[1] === ")") {
      if (!open.length) throw new NotationError("a bracket that closes nothing");
      value = list(open.pop());
    } else value = atom(m);
    if (open.length) open.at(-1).push(value);
    else if (text.slice(TOKEN.lastIndex).trim()) throw new NotationError("more than one value");
    else return said(value);
  }
}

const quoted = (s) =>
  '"' + s.replace(/["\\\n\r\t]/g, (c) => "\\" + ({ "\n": "n", "\r": "r", "\t": "t" }[c] ?? c)) + '"';

// action is the canonical text of an action whose arguments are texts.
export function action(tool, args = {}) {
  const pairs = Object.keys(args).sort().map((k) => `:${k} ${quoted(args[k])}`);
  return `(:args ${pairs.length ? `(${pairs.join(" ")})` : "{}"} :target :tool :tool ${quoted(tool)} :type :request)`;
}
