// What the expressions of a program may be, as far as its text tells: texts, marks of
// where they came from, dotted names of objects, and items of arrays.

import path from "node:path";
import { UNKNOWN } from "./policy.mjs";

const MOST = 8;

// plainName is a name without node:, .promises, .default and Sync.
export const plainName = (n) => n.replace(/^node:/, "").replace(/^fs\/promises/, "fs").replaceAll(".promises", "").replace(/\.default(?=\.|$)/g, "").replace(/Sync$/, "");

const few = (s) => (s.size <= MOST ? s : new Set([...s].sort().slice(0, MOST)));

export const value = ({ texts = [], marks = [], names = [], items = null, fields = null, number } = {}) => ({
  texts: few(new Set(texts)), marks: new Set(marks), names: few(new Set(names)), items, fields, number,
});
export const NOTHING = value();

// shallow is a value as a part of another: parts of parts have none themselves.
export const shallow = (v) => (partsOf(v).some((p) => partsOf(p).length) ? value({ ...v, items: null, fields: null }) : v);
const partsOf = (v) => [...(v.items ?? []), ...Object.values(v.fields ?? {})];
export const text = (...texts) => value({ texts });

export function either(a, b) {
  if (a === b || b === NOTHING) return a;
  if (a === NOTHING) return b;
  return value({
    texts: [...a.texts, ...b.texts], marks: [...a.marks, ...b.marks], names: [...a.names, ...b.names],
    number: a.number ?? b.number, items: a.items ?? b.items, fields: a.fields || b.fields ? { ...a.fields, ...b.fields } : null,
  });
}

export const any = (values) => values.reduce(either, NOTHING);
export const marksOf = (v) => new Set([...v.marks, ...(v.items ?? []).flatMap((i) => [...i.marks]), ...Object.values(v.fields ?? {}).flatMap((i) => [...i.marks])]);
export const marked = (v, marks) => (marks.length ? value({ ...v, marks: [...v.marks, ...marks] }) : v);
const allMarks = (values) => values.flatMap((v) => [...v.marks]);

function product(values, join) {
  let out = [""];
  values.forEach((v, i) => {
    const next = v.texts.size ? [...v.texts].sort() : [UNKNOWN];
    out = out.flatMap((o) => next.map((t) => join(o, t, i))).slice(0, MOST);
  });
  return out.filter((o) => o.length <= 4096);
}

// joined is all texts of values in a row.
export const joined = (values, between = "") =>
  value({ texts: product(values, (o, t, i) => o + (i ? between : "") + t), marks: allMarks(values) });

// pathJoined is what path.join, or path.resolve, makes of values.
export const pathJoined = (values, absolute) =>
  value({ texts: product(values, (o, t) => (absolute && t.startsWith("/") ? t : o ? o.replace(/\/$/, "") + "/" + t.replace(/^\//, "") : t)), marks: allMarks(values) });

// scope is the names of a function, or of the module. A name is all it is given.
export class Scope {
  constructor(parent) {
    this.parent = parent;
    this.names = new Map();
  }
  home(name) {
    for (let s = this; s; s = s.parent) if (s.names.has(name)) return s;
    return null;
  }
  get(name) {
    return this.home(name)?.names.get(name) ?? value({ names: [name] });
  }
  declare(name, v) {
    this.names.set(name, either(this.names.get(name) ?? NOTHING, v));
  }
  give(name, v) {
    (this.home(name) ?? this).declare(name, v);
  }
}

const SAME = new Set("toString trim toLowerCase toUpperCase slice valueOf text json normalize split concat buffer arrayBuffer read".split(" "));

// textOf is what a call of a known name returns, when that is a text.
export function textOf(name, method, receiver, args) {
  if (/(?:^|\.)path(?:\.posix)?\.(?:join|resolve)$/.test(name)) return pathJoined(args, name.endsWith("resolve"));
  if (name === "os.homedir") return text("~");
  if (name === "process.cwd") return text(".");
  if (name === "Buffer.from" || name === "String" || /path(?:\.posix)?\.normalize$/.test(name)) return value({ texts: args[0]?.texts ?? [] });
  if (name === "atob") return NOTHING;
  if (name === "String.fromCharCode" || name === "String.fromCodePoint") return NOTHING;
  if (method === "join" && receiver.items) return joined(receiver.items, [...(args[0]?.texts ?? [","])][0]);
  if (method === "concat") return joined([receiver, ...args]);
  if (method === "replace" && args.length === 2 && args[0].texts.size && args[1].texts.size) {
    return text(...[...receiver.texts].map((t) => t.replace([...args[0].texts][0], [...args[1].texts][0])));
  }
  if (SAME.has(method)) return value({ texts: receiver.texts, items: method === "split" ? null : receiver.items });
  return NOTHING;
}
