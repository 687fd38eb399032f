"""Reads a program: its statements, again and again, until nothing more is learned."""

import ast

from code_calls import MODULES
from code_expressions import Expressions
from code_machine import HUGE, MANY
from code_values import NOTHING, Scope, Value, combine, number

ROUNDS = 4


class Reader(Expressions):
    """Reads one program. Words say who named the hosts in it."""

    def __init__(self, tree, words, depth=0):
        super().__init__(words, depth)
        self.tree, self.module = tree, Scope()

    def read(self):
        """All effects, in the order of their lines."""
        for n in ast.walk(self.tree):
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions.setdefault(n.name, []).append(n)
                self.decls[n] = [Scope(), NOTHING]
        before = None
        for _ in range(ROUNDS):
            self.effects.clear()
            self.block(self.tree.body, self.module)
            if (now := self.learned()) == before:
                break
            before = now
        self.whole(self.tree)
        return sorted(self.effects, key=lambda e: (e[2], e[0], e[1]))

    def learned(self):
        scopes = [self.module, *(s for s, _ in self.decls.values())]
        return [dict(s.names) for s in scopes] + [r for _, r in self.decls.values()] + [dict(self.fields), set(self.heard)]

    def block(self, body, scope):
        for n in body:
            self.statement(n, scope)

    def statement(self, n, scope):
        match n:
            case ast.Import() | ast.ImportFrom():
                self.imports(n, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.define(n, scope)
            case ast.ClassDef():
                for d in [*n.bases, *n.decorator_list]:
                    self.value(d, scope)
                self.block(n.body, scope)
            case ast.Assign():
                v = self.value(n.value, scope)
                for t in n.targets:
                    self.assign(t, v, scope)
            case ast.AnnAssign() if n.value:
                self.assign(n.target, self.value(n.value, scope), scope)
            case ast.AugAssign():
                old = self.value(n.target, scope) if not isinstance(n.target, ast.Name) else scope.get(n.target.id)
                self.assign(n.target, combine(ast.BinOp(n.target, n.op, n.value), old, self.value(n.value, scope)), scope)
            case ast.Global() | ast.Nonlocal():
                scope.outer.update(n.names)
            case ast.Return():
                self.returns(n, scope)
            case ast.For() | ast.AsyncFor():
                self.assign(n.target, self.element(self.value(n.iter, scope)), scope)
                self.loop(n, scope, any(k.startswith("itertools.count") for k in self.value(n.iter, scope).names), times(n.iter))
            case ast.While():
                self.value(n.test, scope)
                self.loop(n, scope, isinstance(n.test, ast.Constant) and bool(n.test.value))
            case ast.With() | ast.AsyncWith():
                for i in n.items:
                    v = self.value(i.context_expr, scope)
                    if i.optional_vars:
                        self.assign(i.optional_vars, v, scope)
                self.block(n.body, scope)
            case _:
                for _, field in ast.iter_fields(n):
                    self.parts(field, scope)

    def parts(self, field, scope):
        for x in field if isinstance(field, list) else [field]:
            if isinstance(x, ast.stmt):
                self.statement(x, scope)
            elif isinstance(x, ast.expr):
                self.value(x, scope)
            elif isinstance(x, (ast.ExceptHandler, ast.match_case)):
                for _, f in ast.iter_fields(x):
                    self.parts(f, scope)

    def loop(self, n, scope, forever, often=0):
        ends = any(isinstance(x, (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.Await)) for x in ast.walk(n))
        endless = forever and not ends
        if endless or often >= HUGE:
            self.note("loops", "endless", n)
        self.loops, self.endless, self.many = self.loops + 1, self.endless + endless, self.many + (often >= MANY)
        self.forever += bool(forever)
        self.block(n.body, scope)
        self.forever -= bool(forever)
        self.loops, self.endless, self.many = self.loops - 1, self.endless - endless, self.many - (often >= MANY)
        self.block(n.orelse, scope)

    def imports(self, n, scope):
        for a in n.names:
            whole = a.name if isinstance(n, ast.Import) else f"{n.module or ''}.{a.name}"
            real = whole if a.asname or isinstance(n, ast.ImportFrom) else whole.split(".")[0]
            scope.give(a.asname or real.split(".")[-1] if isinstance(n, ast.ImportFrom) else a.asname or real, Value(names=frozenset({real})))
            for module, (effect, kind) in MODULES.items():
                if whole == module or whole.startswith(module + "."):
                    self.note(effect, kind, n)

    def define(self, n, scope):
        inner = self.decls[n][0]
        inner.parent = scope
        a = n.args
        given = dict(zip([x.arg for x in reversed([*a.posonlyargs, *a.args])], reversed(a.defaults)))
        given |= {x.arg: d for x, d in zip(a.kwonlyargs, a.kw_defaults) if d}
        for x in [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]:
            inner.give(x.arg, self.value(given[x.arg], scope) if x.arg in given else NOTHING)
        for d in n.decorator_list:
            self.value(d, scope)
        if n.name in ("__reduce__", "__reduce_ex__"):
            self.note("run", "computed", n)
        scope.give(n.name, Value(names=frozenset({f"def {n.name}"})))
        self.current, outside = n, getattr(self, "current", None)
        self.inside, around = n.name, self.inside
        self.block(n.body, inner)
        self.current, self.inside = outside, around

    def returns(self, n, scope):
        v = self.value(n.value, scope) if n.value else NOTHING
        if getattr(self, "current", None) in self.decls:
            self.decls[self.current][1] |= v


def times(n):
    """How often a loop goes through a range of numbers; 0 where it is none."""
    if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("range", "xrange") and n.args:
        return number(n.args[1] if len(n.args) > 1 else n.args[0])
    return 0
