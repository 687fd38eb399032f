// Reads a program: its statements, again and again, until nothing more is learned.

import { Expressions } from "./expressions.mjs";
import { parsed, tooDeep } from "./parse.mjs";
import { NOTHING, Scope, either, plainName, value } from "./values.mjs";

const ROUNDS = 4;
const MANY = 1000; // how often is too often
const MOST_NODES = 400; // within each other; Node dies of some deep recursions
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

export class Reader extends Expressions {
  constructor(tree, words, depth = 0) {
    super(words, depth);
    this.tree = tree;
    this.depth = 0;
    this.module = new Scope(null);
  }

  read() {
    let before = "";
    for (let i = 0; i < ROUNDS; i++) {
      this.effects.clear();
      this.block(this.tree.body, this.module);
      const now = JSON.stringify([...this.functions.values()].map((f) => [f.result, [...f.scope.names]]).concat([[...this.module.names]]),
        (_, v) => (v instanceof Set ? [...v] : v));
      if (now === before) break;
      before = now;
    }
    if (this.heard.has("encrypts") && this.heard.has("walks") && this.heard.has("wrote")) this.note("loops", "encrypt", this.tree);
    return [...this.effects.values()].sort((a, b) => a[2] - b[2] || (a[0] + a[1] < b[0] + b[1] ? -1 : 1));
  }

  // inner notes the effects of a program that stands as a text in this one.
  inner(program, n) {
    if (this.inside >= 3 || tooDeep(program)) return;
    if (!this.programs.has(program)) this.programs.set(program, this.effectsOf(program));
    for (const [effect, kind] of this.programs.get(program)) this.note(effect, kind, n);
  }

  effectsOf(program) {
    let tree;
    try {
      tree = parsed(program);
    } catch {
      return []; // what runs it will say so
    }
    return new Reader(tree, this.words, this.inside + 1).read();
  }

  block(body, scope) {
    for (const n of body) this.node(n, scope); // in the order of the text; rounds do the rest
  }

  // node reads a statement or an expression, and returns the expression's value.
  node(n, scope) {
    if (!n) return NOTHING;
    if (++this.depth > MOST_NODES) throw new RangeError(`nested deeper than ${MOST_NODES}`);
    const v = FUNCTIONS.has(n.type) ? this.define(n, scope) : this[n.type] ? this[n.type](n, scope) : this.children(n, scope);
    this.depth--;
    return v;
  }

  children(n, scope) {
    let out = NOTHING;
    for (const key of Object.keys(n)) {
      const c = n[key];
      for (const x of Array.isArray(c) ? c : [c]) if (x && typeof x.type === "string") out = either(out, this.node(x, scope));
    }
    return /Expression$/.test(n.type) ? out : NOTHING;
  }

  ImportDeclaration(n, scope) {
    const module = plainName(n.source.value);
    this.imported(module, n);
    for (const s of n.specifiers) {
      const part = s.type === "ImportSpecifier" ? `${module}.${s.imported.name ?? s.imported.value}` : module;
      scope.declare(s.local.name, value({ names: [plainName(part)] }));
    }
    return NOTHING;
  }

  VariableDeclarator(n, scope) {
    this.bind(n.id, n.init ? this.node(n.init, scope) : NOTHING, scope, true);
    return NOTHING;
  }

  ForOfStatement(n, scope) {
    const v = this.node(n.right, scope);
    const target = n.left.type === "VariableDeclaration" ? n.left.declarations[0].id : n.left;
    this.bind(target, this.element(v), scope, true);
    return this.node(n.body, scope);
  }

  WhileStatement(n, scope) {
    return this.loop(n, scope, n.test);
  }

  DoWhileStatement(n, scope) {
    return this.loop(n, scope, n.test);
  }

  ForStatement(n, scope) {
    this.node(n.init, scope);
    this.node(n.update, scope);
    return this.loop(n, scope, n.test);
  }

  loop(n, scope, test) {
    this.node(test, scope);
    const endless = (!test || (test.type === "Literal" && !!test.value)) && !leaves(n.body);
    if (endless) this.note("loops", "endless", n);
    const many = test?.type === "BinaryExpression" && this.node(test.right, scope).number >= MANY;
    this.endless += endless;
    this.many += many;
    this.node(n.body, scope);
    this.many -= many;
    this.endless -= endless;
    return NOTHING;
  }

  ReturnStatement(n, scope) {
    const v = this.node(n.argument, scope);
    if (this.current) this.current.result = either(this.current.result, v);
    return NOTHING;
  }

  define(n, scope) {
    const known = this.functions.get(n) ?? { scope: new Scope(scope), result: NOTHING, node: n };
    this.functions.set(n, known);
    const outside = this.current;
    this.current = known;
    n.params.forEach((p) => this.bind(p, NOTHING, known.scope, true));
    if (n.body.type === "BlockStatement") this.block(n.body.body, known.scope);
    else known.result = either(known.result, this.node(n.body, known.scope));
    this.current = outside;
    const v = value({ names: [this.named_(n)] });
    if (n.type === "FunctionDeclaration" && n.id) scope.declare(n.id.name, v);
    return v;
  }

  // named_ is a name by which a value says which function it is.
  named_(n) {
    const name = `function ${n.start}`;
    this.byName.set(name, n);
    return name;
  }
}

// leaves tells whether a loop's body can end the loop.
function leaves(n) {
  if (!n || typeof n.type !== "string" || FUNCTIONS.has(n.type)) return false;
  if (/^(?:Break|Return|Throw)Statement$|^(?:Await|Yield)Expression$/.test(n.type)) return true;
  return Object.values(n).some((c) => (Array.isArray(c) ? c.some(leaves) : leaves(c)));
}
