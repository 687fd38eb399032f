"""The expressions of a program: what each may be, as a Value."""

import ast

from code_calling import Calls
from code_machine import HUGE
from code_policy import NAMES
from code_values import ENVIRON, NOTHING, PATH, SAME, Value, combine, joined, number, shallow, text

# What others say to a server.
REQUESTS = ("flask.request.", "bottle.request.", "cherrypy.request.", "?.rfile.", "self.rfile.")
# Modules of which no program changes a part, and parts that programs do change.
MEANT = frozenset(("builtins", "__builtins__", "os", "os.path", "shutil", "subprocess", "socket", "ssl", "importlib", "io", "sys", "pathlib"))
OWN = frozenset(("stdout", "stderr", "stdin", "argv", "path", "dont_write_bytecode", "exitcode", "environ", "excepthook", "tracebacklimit", "ps1"))


class Expressions(Calls):
    """Reads expressions, and follows what names and fields are given."""

    def __init__(self, words, depth=0):
        super().__init__(words, depth)
        self.fields = {}

    def assign(self, target, v, scope):
        match target:
            case ast.Name():
                scope.give(target.id, v)
            case ast.Attribute():
                self.fields[target.attr] = self.fields.get(target.attr, NOTHING) | v
                base = self.value(target.value, scope)
                if base.names & MEANT and not isinstance(target.value, ast.Call) and target.attr not in OWN:
                    self.note("tamper", "names", target)
            case ast.Tuple() | ast.List():
                for i, t in enumerate(target.elts):
                    one = v.items[i] if v.items and len(v.items) == len(target.elts) else self.element(v)
                    self.assign(t, one, scope)
            case ast.Starred():
                self.assign(target.value, v, scope)
            case ast.Subscript():
                self.setting(target, scope)
                self.assign(target.value, v, scope)

    def setting(self, target, scope):
        """What decides what is run: a variable of the environment, or a module that is loaded."""
        base, key = self.value(target.value, scope), self.value(target.slice, scope)
        if "os.environ" in base.names and any(NAMES.match(t) for t in key.texts) or "sys.modules" in base.names:
            self.note("tamper", "names", target)

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
                left, right = self.value(n.left, scope), self.value(n.right, scope)
                long = left.texts or right.texts or left.items is not None or right.items is not None
                if long and isinstance(n.op, ast.Mult) and max(number(n.left), number(n.right)) >= HUGE:
                    self.note("loops", "exhaust", n)
                return combine(n, left, right)
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
        if any(x.startswith(REQUESTS) for x in v.names):
            v = v.marked({"received"})
        if v.names & {"socket.AF_PACKET", "socket.SOCK_RAW", "socket.PF_PACKET"}:
            self.note("watch", "any", n)
        if "os.environ" in v.names:
            v = v.marked({"environ"})
        if "sys.argv" in v.names or any(x in ENVIRON for x in v.names):
            v = v.marked({"env" if "sys.argv" not in v.names else "input"})
        if PATH in base.names and n.attr in ("parent", "parents"):
            return Value(texts=frozenset(t.rpartition("/")[0] or t for t in base.texts), names=frozenset({PATH}))
        if isinstance(n.value, ast.Name) and n.value.id in ("self", "cls") or not base.names:
            v |= self.fields.get(n.attr, NOTHING)
        if n.attr in SAME:
            v |= Value(texts=base.texts)
        return v
