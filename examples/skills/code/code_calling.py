"""The calls of a program: what is called, with what, and what comes back."""

import ast

from code_calls import CALLS, HARMLESS, LOOKS, METHODS, SOURCES
from code_effects import Effects
from code_policy import SAFE, path_class
from code_values import COLLECTS, NOTHING, PATH, SAME, Value, filled, joined, path_joined, text

# Modules of which a part that is named as the program runs may do anything.
REACHED = frozenset(("os", "sys", "shutil", "subprocess", "builtins", "__builtins__", "socket", "importlib"))


class Calls(Effects):
    """Reads calls. It needs value and collect of the classes that extend it."""

    def __init__(self, words, depth=0):
        super().__init__(words, depth)
        self.functions, self.decls = {}, {}  # by name; and of each its scope and result

    def call(self, n, scope):
        if isinstance(n.func, ast.Attribute):  # read once, or a chain of n calls takes 2**n steps
            receiver = self.value(n.func.value, scope)
            f = self.attribute(n.func, receiver)
        else:
            receiver, f = NOTHING, self.value(n.func, scope)
        args = [self.value(a.value if isinstance(a, ast.Starred) else a, scope) for a in n.args]
        named = {k.arg: self.value(k.value, scope) for k in n.keywords}
        method = n.func.attr if isinstance(n.func, ast.Attribute) else ""
        if method in COLLECTS and args:
            self.collect(n.func.value, Value(marks=args[-1].marks), scope)
        out = NOTHING
        for name in sorted(f.names) or ["?." + method]:
            out |= self.known(n, name, method, receiver, args, named)
            if name.startswith("def ") or name.startswith("?.") or name.startswith(("self.", "cls.")):
                out |= self.own(name, args, named)
        for name in sorted(f.names):
            self.effect(n, name, receiver, args, named)
            out |= self.source(name, args, named, receiver)
        out |= Value(names=frozenset(f"{x}()" for x in f.names if x.count("()") < 4))
        marks = receiver.marks.union(*(a.marks for a in args), *(a.marks for a in named.values()))
        if f.names & {"os.environ.get", "os.getenv", "os.environ.setdefault", "os.environ.pop"} or "len" in f.names:
            marks -= {"environ"}  # one of them, by name
        return out.marked(marks)

    def own(self, name, args, named):
        """A call of a function of the program itself."""
        out = NOTHING
        for d in self.functions.get(name.rpartition(".")[2].removeprefix("def "), ()):
            a, inner = d.args, self.decls[d][0]
            params = [x.arg for x in [*a.posonlyargs, *a.args]]
            if params and params[0] in ("self", "cls"):
                params = params[1:]
            for p, v in zip(params, args):
                inner.give(p, v)
            for p, v in named.items():
                if p:
                    inner.give(p, v)
            out |= self.decls[d][1]
        return out

    def known(self, n, name, method, receiver, args, named):
        """What calls return whose results are texts."""
        last = name.rpartition(".")[2]
        if name in ("__import__", "importlib.import_module") and args:
            return Value(names=args[0].texts)
        if name == "getattr" and len(args) > 1:
            if not args[1].texts and args[0].names & REACHED:
                self.note("run", "computed", n)
            return Value(names=frozenset(f"{b}.{t}" for b in args[0].names for t in args[1].texts))
        if last == "join" and name.endswith("path.join") or last == "joinpath":
            v = path_joined([receiver, *args] if last == "joinpath" else args)
            return v | Value(names=frozenset({PATH}) if last == "joinpath" else frozenset())
        if last in ("Path", "PurePath", "PosixPath"):
            return path_joined(args) | Value(names=frozenset({PATH}))
        if last == "home" and name.endswith("Path.home"):
            return Value(texts=frozenset({"~"}), names=frozenset({PATH}))
        if last == "join" and method and args:
            parts = args[0].items
            between = sorted(receiver.texts)[0] if receiver.texts else ""
            return joined(list(parts), between) if parts else args[0]
        if last == "format" and method:
            return filled(receiver, args + list(named.values()))
        if last == "replace" and method and len(args) == 2 and receiver.texts and args[0].texts and args[1].texts:
            old, new = sorted(args[0].texts)[0], sorted(args[1].texts)[0]
            return text(*(t.replace(old, new) for t in receiver.texts)) if old else receiver
        if last in ("chr",) and n.args and isinstance(n.args[0], ast.Constant) and isinstance(n.args[0].value, int):
            return text(chr(n.args[0].value)) if 0 <= n.args[0].value < 0x110000 else NOTHING
        if name == "os.walk" and args:  # of each step, the folder that it began with is known
            return Value(items=(Value(items=(Value(texts=args[0].texts), NOTHING, NOTHING)),))
        if name in ("glob.glob", "glob.iglob") and args:
            return Value(items=(Value(texts=args[0].texts),))
        if name == "os.getcwd":
            return text(".")
        if last in ("iterdir", "glob", "rglob") and PATH in receiver.names:
            return path_joined([receiver, NOTHING]) | Value(names=frozenset({PATH}))
        if last in SAME:
            v = receiver if method and not name.startswith("os.") else args[0] if args else NOTHING
            return Value(texts=v.texts, names=v.names & {PATH}, items=v.items if last == "copy" else None)
        return NOTHING

    def source(self, name, args, named, receiver):
        """Where the result of a call came from."""
        marks = {mark for ends, mark in SOURCES.items() if name == ends or ends.startswith(".") and name.endswith(ends)}
        if name in ("open", "io.open", "codecs.open", "os.open", "gzip.open") and args:
            marks |= {c for c in map(path_class, args[0].texts) if c not in SAFE}
        if name.endswith((".read_text", ".read_bytes")) or name.endswith("Path().open"):
            marks |= {c for c in map(path_class, receiver.texts) if c not in SAFE}
        return Value(marks=frozenset(marks))

    def effect(self, n, name, receiver, args, named):
        """The effects of calling a name."""
        found, last = CALLS.get(name), name.rpartition(".")[2]
        if not found:
            found = next((f for m, f in METHODS.items() if name.endswith(m) or m == "?." + last and name != last), None)
        effect, *where = found or ("touch",)
        if PATH in receiver.names:
            self.touched(n, [] if last in LOOKS else [receiver, *args])
        elif effect not in ("run", "text") and not name.startswith(HARMLESS):
            self.touched(n, [*args, *named.values()])
        if any(k.arg == "verify" and isinstance(k.value, ast.Constant) and k.value.value is False for k in n.keywords):
            self.note("tamper", "trust", n)
        if not found:
            return
        getattr(self, "do_" + effect)(n, name, receiver, args, named, where)
