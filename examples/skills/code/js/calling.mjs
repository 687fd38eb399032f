// The calls of a program: what is called, with what, and what comes back.

import { EVENTS, METHODS, MODULES, SOURCES } from "./calls.mjs";
import { Effects } from "./effects.mjs";
import { SAFE, UNKNOWN, pathClass } from "./policy.mjs";
import { NOTHING, either, marked, marksOf, plainName, textOf, value } from "./values.mjs";

export class Calls extends Effects {
  constructor(words, depth) {
    super(words, depth);
    this.functions = new Map(); // a node, and its scope and result
    this.byName = new Map();
  }

  imported(module, n) {
    this.note(MODULES.get(module), MODULES.has(module) ? "any" : "", n);
  }

  module_(n, v) {
    if (!v.texts.size || [...v.texts].some((t) => t.includes(UNKNOWN))) this.note("run", "computed", n);
    for (const t of v.texts) this.imported(plainName(t), n);
    return value({ names: [...v.texts].map(plainName) });
  }

  NewExpression(n, scope) {
    return this.CallExpression(n, scope);
  }

  CallExpression(n, scope) {
    const member = n.callee.type === "MemberExpression"; // read once, or a chain of n calls takes 2**n steps
    const receiver = member ? this.node(n.callee.object, scope) : NOTHING;
    const f = member ? this.member(n.callee, receiver, scope) : this.node(n.callee, scope);
    const method = member && !n.callee.computed ? n.callee.property.name : "";
    const args = n.arguments.map((a) => this.node(a.type === "SpreadElement" ? a.argument : a, scope));
    if (f.names.has("require")) return this.module_(n, args[0] ?? NOTHING);
    let out = NOTHING;
    for (const name of f.names) {
      out = either(out, this.called(name, args));
      out = either(out, textOf(name, method, receiver, args));
      this.effect(n, name, receiver, args);
      out = either(out, this.source(name, args));
    }
    if (!f.names.size) out = textOf("", method, receiver, args);
    if (!f.names.size && METHODS.has(method)) this.effect(n, `?.${method}`, receiver, args);
    this.listeners(method, args, receiver);
    out = either(out, value({ names: [...f.names].filter((x) => x.length < 120 && !x.startsWith("function ")).map((x) => x + "()") }));
    return marked(out, [...receiver.marks, ...args.flatMap((a) => [...marksOf(a)])]);
  }

  // called passes arguments to a function of the program itself.
  called(name, args) {
    const n = this.byName.get(name);
    const known = n && this.functions.get(n);
    if (!known) return NOTHING;
    n.params.forEach((p, i) => args[i] && this.bind(p, args[i], known.scope, true));
    return known.result;
  }

  // listeners gives callbacks what they will be called with: data of a stream, a
  // result, each item.
  listeners(method, args, receiver) {
    const event = method === "on" || method === "once" || method === "addEventListener";
    const data = event && [...(args[0]?.texts ?? [])].some((t) => EVENTS.has(t));
    const network = [...receiver.names].some((x) => /^(?:net|tls|dgram|http|https|ws|WebSocket)\b/.test(x)) || receiver.marks.has("received");
    for (const a of args) {
      for (const name of a.names) {
        if (!this.byName.has(name)) continue;
        const given = data && network ? marked(NOTHING, ["received"]) : event ? NOTHING : marked(this.element(receiver), [...args.flatMap((x) => [...x.marks])]);
        this.called(name, event ? [given] : [given, given]);
      }
    }
  }

  source(name, args) {
    const marks = SOURCES.has(name) && (name !== "Buffer.from" || /base64|hex/.test([...(args[1]?.texts ?? [])][0] ?? "")) ? [SOURCES.get(name)] : [];
    if (/^fs\.(?:readFile|createReadStream|open)$/.test(name)) {
      for (const t of args[0]?.texts ?? []) if (!SAFE.has(pathClass(t))) marks.push(pathClass(t));
    }
    return value({ marks });
  }
}
