// The expressions of a program: what each may be, as a value.

import { Calls } from "./calling.mjs";
import { NAMES } from "./policy.mjs";
import { NOTHING, any, either, joined, marked, plainName, shallow, text, value } from "./values.mjs";

// Objects of which a part that is named as the program runs may do anything.
const REACHED = new Set(["fs", "child_process", "vm", "net", "process", "globalThis", "global"]);
const MOST_FIELDS = 512;
// Modules and prototypes of which no program changes a part, and parts that programs do change.
const MEANT = /^(?:fs|child_process|net|http|https|crypto|module|process|require\.cache|Module(?:\.prototype)?|(?:Object|Function|Array|String)\.prototype)$/;
const OWN = new Set(["exitCode", "title", "env", "exports", "onwarning", "noDeprecation"]);

export class Expressions extends Calls {
  bind(target, v, scope, fresh) {
    switch (target?.type) {
      case "Identifier":
        return fresh ? scope.declare(target.name, v) : scope.give(target.name, v);
      case "AssignmentPattern":
        return this.bind(target.left, either(v, this.node(target.right, scope)), scope, fresh);
      case "RestElement":
        return this.bind(target.argument, v, scope, fresh);
      case "ArrayPattern":
        return target.elements.forEach((e, i) => this.bind(e, v.items?.[i] ?? this.element(v), scope, fresh));
      case "ObjectPattern":
        for (const p of target.properties) {
          const key = p.key?.name ?? p.key?.value;
          const part = v.fields?.[key] ?? value({ names: [...v.names].map((x) => plainName(`${x}.${key}`)), marks: v.marks });
          this.bind(p.value ?? p.argument, part, scope, fresh);
        }
        return undefined;
      case "MemberExpression":
        this.setting(target, scope);
        if (target.object.type === "Identifier") scope.give(target.object.name, value({ marks: v.marks }));
        return this.module.give(`.${target.property.name}`, v);
    }
    return undefined;
  }

  // setting notes what decides what is run: a variable of the environment, or a part of a
  // module that all programs use.
  setting(target, scope) {
    const base = this.node(target.object, scope).names;
    const keys = target.computed ? [...this.node(target.property, scope).texts] : [target.property.name];
    if (base.has("process.env") && keys.some((k) => NAMES.test(k))) this.note("tamper", "names", target);
    if ([...base].some((b) => MEANT.test(b)) && !keys.some((k) => OWN.has(k))) this.note("tamper", "names", target);
  }

  element(v) {
    return v.items ? any(v.items) : v;
  }

  Literal(n) {
    if (typeof n.value === "number") return value({ number: n.value });
    return typeof n.value === "string" ? text(n.value) : NOTHING;
  }

  Identifier(n, scope) {
    return scope.get(n.name);
  }

  TemplateLiteral(n, scope) {
    const parts = [];
    n.quasis.forEach((q, i) => {
      if (q.value.cooked) parts.push(text(q.value.cooked));
      if (n.expressions[i]) parts.push(this.node(n.expressions[i], scope));
    });
    return parts.length ? joined(parts) : text("");
  }

  BinaryExpression(n, scope) {
    // A chain of sums is gone along, so that a long one is not a deep one.
    const chain = [];
    for (let at = n; ; at = at.left) {
      if (at.type !== "BinaryExpression" || at.operator !== "+") {
        chain.unshift(at);
        break;
      }
      chain.unshift(at.right);
    }
    if (chain.length > 1) return joined(chain.slice(0, 256).map((x) => this.node(x, scope)));
    const [l, r] = [this.node(n.left, scope), this.node(n.right, scope)];
    const both = l.number !== undefined && r.number !== undefined;
    const number = both && n.operator === "*" ? l.number * r.number : both && n.operator === "**" ? l.number ** r.number : undefined;
    return value({ marks: [...l.marks, ...r.marks], number });
  }

  AssignmentExpression(n, scope) {
    let v = this.node(n.right, scope);
    if (n.operator === "+=") v = joined([this.node(n.left, scope), v]);
    this.bind(n.left, v, scope, false);
    return v;
  }

  ArrayExpression(n, scope) {
    const items = n.elements.filter(Boolean).slice(0, 64).map((e) => shallow(this.node(e, scope)));
    return value({ items, marks: items.flatMap((i) => [...i.marks]) });
  }

  ObjectExpression(n, scope) {
    if (n.properties.length > MOST_FIELDS) throw new RangeError(`an object of more than ${MOST_FIELDS} fields`);
    const fields = {};
    for (const p of n.properties) {
      const v = shallow(this.node(p.value ?? p.argument, scope));
      if (p.key && (p.key.name ?? p.key.value) === "rejectUnauthorized" && p.value?.value === false) this.note("tamper", "trust", p);
      fields[p.key?.name ?? p.key?.value ?? "..."] = v;
    }
    return value({ fields, marks: Object.values(fields).flatMap((v) => [...v.marks]) });
  }

  MemberExpression(n, scope) {
    return this.member(n, this.node(n.object, scope), scope);
  }

  // member is a part of an object that has been read.
  member(n, base, scope) {
    const key = n.computed ? [...this.node(n.property, scope).texts][0] : n.property.name;
    let v = base.fields?.[key] ?? (n.computed && base.items ? this.element(base) : NOTHING);
    v = either(v, value({ names: [...base.names].map((b) => plainName(`${b}.${key ?? "?"}`)), marks: key === undefined ? base.marks : [...base.marks].filter((m) => m !== "environ") }));
    if (n.computed && key === undefined && [...base.names].some((b) => REACHED.has(b))) this.note("run", "computed", n);
    if ([...v.names].some((x) => x === "process.env" || x === "process.argv")) return marked(v, v.names.has("process.env") ? ["env", "environ"] : ["env"]);
    return n.object.type === "ThisExpression" ? either(v, this.module.names.get(`.${key}`) ?? NOTHING) : v;
  }

  ImportExpression(n, scope) {
    return this.module_(n, this.node(n.source, scope));
  }
}
