"""The expressions of a program: what each may be, as a Value."""

import ast

from code_calling import Calls
from code_values import ENVIRON, NOTHING, PATH, SAME, Value, combine, joined, shallow, text


class Expressions(Calls):
    """Reads expressions, and follows what names and fields are given."""

    def __init__(self, words):
        super().__init__(words)
        self.fields = {}

    def assign(self, target, v, scope):
        match target:
            case ast.Name():
                scope.give(target.id, v)
            case ast.Attribute():
                self.fields[target.attr] = self.fields.get(target.attr, NOTHING) | v
                self.value(target.value, scope)
            case ast.Tuple() | ast.List():
                for i, t in enumerate(target.elts):
                    one = v.items[i] if v.items and len(v.items) == len(target.elts) else self.element(v)
                    self.assign(t, one, scope)
            case ast.Starred():
                self.assign(target.value, v, scope)
            case ast.Subscript():
                self.assign(target.value, v, scope)

    def collect(self, target, v, scope):
        """Gives a name or a field something more, without reading what it stands in."""
        if isinstance(target, ast.Name):
            scope.give(target.id, v)
        elif isinstance(target, ast.Attribute):
            self.fields[target.attr] = self.fields.get(target.attr, NOTHING) | v
        elif isinstance(target, ast.Subscript):
            self.collect(target.value, v, scope)

    def element(self, v):
        """An item of a value that is gone through."""
        if v.items:
            out = NOTHING
            for i in v.items:
                out |= i
            return out
        return v

    def value(self, n, scope):
        match n:
            case ast.Constant():
                if isinstance(n.value, bytes):
                    return text(n.value.decode("latin1"))
                return text(n.value) if isinstance(n.value, str) else NOTHING
            case ast.Name():
                return scope.get(n.id)
            case ast.Attribute():
                return self.attribute(n, self.value(n.value, scope))
            case ast.JoinedStr():
                return joined([self.value(v.value if isinstance(v, ast.FormattedValue) else v, scope) for v in n.values])
            case ast.BinOp():
                return combine(n, self.value(n.left, scope), self.value(n.right, scope))
            case ast.List() | ast.Tuple() | ast.Set():
                items = tuple(shallow(self.value(e, scope)) for e in n.elts)
                return Value(items=items[:64], marks=frozenset().union(*(i.marks for i in items)) if items else frozenset())
            case ast.Call():
                return self.call(n, scope)
            case ast.Lambda():
                return self.value(n.body, scope)
            case ast.NamedExpr():
                v = self.value(n.value, scope)
                self.assign(n.target, v, scope)
                return v
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(n, scope)
            case ast.Subscript():
                self.value(n.slice, scope)
                base = self.value(n.value, scope)
                if any(b in ENVIRON for b in base.names):
                    return Value(marks=frozenset({"input"}))
                return self.element(base)
            case _:
                out = NOTHING
                for c in ast.iter_child_nodes(n) if isinstance(n, ast.AST) else ():
                    if isinstance(c, ast.expr):
                        out |= self.value(c, scope)
                return out

    def comprehension(self, n, scope):
        for g in n.generators:
            self.assign(g.target, self.element(self.value(g.iter, scope)), scope)
            for i in g.ifs:
                self.value(i, scope)
        if isinstance(n, ast.DictComp):
            return self.value(n.key, scope) | self.value(n.value, scope)
        return self.value(n.elt, scope)

    def attribute(self, n, base):
        v = Value(names=frozenset(f"{b}.{n.attr}" for b in base.names) or frozenset({f"?.{n.attr}"}), marks=base.marks)
        if "sys.argv" in v.names or any(x in ENVIRON for x in v.names):
            v = v.marked({"env" if "sys.argv" not in v.names else "input"})
        if PATH in base.names and n.attr in ("parent", "parents"):
            return Value(texts=frozenset(t.rpartition("/")[0] or t for t in base.texts), names=frozenset({PATH}))
        if isinstance(n.value, ast.Name) and n.value.id in ("self", "cls") or not base.names:
            v |= self.fields.get(n.attr, NOTHING)
        if n.attr in SAME:
            v |= Value(texts=base.texts)
        return v
