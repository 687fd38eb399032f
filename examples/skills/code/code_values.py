"""What the expressions of a Python program may be, as far as its text tells.

Values are propagated through names, f-strings, joins, paths, functions and loops,
without regard to the order in which the program runs: a name is all that it is
given anywhere in its scope. What is not known is absent, and a text with a gap
holds UNKNOWN there.
"""

import ast
import dataclasses
import math
import posixpath

from code_policy import UNKNOWN

MOST = 8  # texts of one value
LARGE = 10**15  # a number that is this or more


@dataclasses.dataclass(frozen=True)
class Value:
    """Texts it may be, what it came from, and dotted names of what it may be."""

    texts: frozenset = frozenset()
    marks: frozenset = frozenset()
    names: frozenset = frozenset()
    items: tuple = None

    def __or__(self, other):
        if other == NOTHING or other == self:
            return self
        if self == NOTHING:
            return other
        items = self.items if other.items is None or other.items == self.items else (self.items or ()) + other.items
        return Value(few(self.texts | other.texts), self.marks | other.marks, few(self.names | other.names),
                     items[:64] if items is not None else None)

    def marked(self, marks):
        return dataclasses.replace(self, marks=self.marks | frozenset(marks)) if marks else self


def few(texts):
    return texts if len(texts) <= MOST else frozenset(sorted(texts)[:MOST])


NOTHING = Value()


def shallow(v):
    """A value as an item of another: lists of lists have items, and deeper ones have none."""
    return dataclasses.replace(v, items=None) if v.items and any(i.items for i in v.items) else v


def text(*texts):
    return Value(texts=few(frozenset(texts)))


def joined(values, between=""):
    """All texts of values in a row; what one of them is not known as is UNKNOWN."""
    out = [""]
    for i, v in enumerate(values):
        out = [o + (between if i else "") + t for o in out for t in sorted(v.texts or {UNKNOWN})][:MOST]
    out = [o for o in out if len(o) <= 4096]
    return Value(texts=frozenset(out), marks=frozenset().union(*(v.marks for v in values)) if values else frozenset())


def path_joined(values):
    """What os.path.join makes of values."""
    out = [""]
    for v in values:
        out = [posixpath.join(o, t) if o else t for o in out for t in sorted(v.texts or {UNKNOWN})][:MOST]
    return Value(texts=frozenset(o for o in out if len(o) <= 4096),
                 marks=frozenset().union(*(v.marks for v in values)) if values else frozenset())


class Scope:
    """Names of one function, or of the module."""

    def __init__(self, parent=None):
        self.parent, self.names, self.outer = parent, {}, set()

    def get(self, name):
        s = self
        while s:
            if name in s.names:
                return s.names[name]
            s = s.parent
        return Value(names=frozenset({name}))

    def give(self, name, value):
        s = self
        if name in self.outer:
            while s.parent:
                s = s.parent
        s.names[name] = s.names.get(name, NOTHING) | value


PATH = "pathlib.Path()"
# Methods and attributes of texts and paths that leave the text what it is.
SAME = set("""encode decode strip lstrip rstrip lower upper expanduser resolve absolute as_posix expandvars abspath
    realpath normpath fspath str bytes copy read readline readlines read_text read_bytes getvalue json text content
    splitlines split format_map title""".split())
ENVIRON = ("os.environ", "os.getenv", "os.environb")
COLLECTS = {"append", "add", "extend", "update", "insert", "write", "put"}


def combine(n, left, right):
    """What an operator makes of two values."""
    if isinstance(n.op, ast.Div) and (PATH in left.names or PATH in right.names):
        v = path_joined([left, right])
        return dataclasses.replace(v, names=frozenset({PATH}))
    if isinstance(n.op, ast.Add):
        if left.items is not None or right.items is not None:
            return left | right
        return joined([left, right]) if left.texts or right.texts else Value(marks=left.marks | right.marks)
    if isinstance(n.op, ast.Mod) and left.texts:
        given = list(right.items) if right.items is not None else [right]
        return filled(left, given).marked(right.marks)
    both = Value(marks=left.marks | right.marks)
    if isinstance(n.op, ast.Mult) and any(many(x) for x in (n.left, n.right)):
        return both.marked({"large"})
    return both | Value(texts=left.texts if isinstance(n.op, ast.Mult) else frozenset())


def many(n):
    """Whether an expression is a number that makes something large, whatever else is in it."""
    if isinstance(n, ast.BinOp) and isinstance(n.op, (ast.Mult, ast.Pow, ast.LShift)):
        if not hasattr(n, "many"):
            n.many = many(n.left) or many(n.right)
        return n.many
    return isinstance(n, ast.Constant) and isinstance(n.value, (int, float)) and n.value >= 1000


def number(n):
    """The number that an expression of constants is, as far as it is one; 0 where it is none."""
    if isinstance(n, ast.Constant) and isinstance(n.value, (int, float)):
        return max(0, min(n.value, LARGE))
    if not isinstance(n, ast.BinOp):
        return 0
    if not hasattr(n, "number"):  # read once, or a product of n numbers takes n**2 steps
        n.number = product(n.op, number(n.left), number(n.right))
    return n.number


def product(op, a, b):
    """What an operator makes of two numbers, LARGE at most."""
    match op:
        case ast.Mult():
            return min(a * b, LARGE)
        case ast.Pow() if a > 0:
            return LARGE if a > 1 and b * math.log10(a) > 15 else a**b
        case ast.LShift():
            return LARGE if b > 64 else min(int(a) << int(b), LARGE)
        case ast.Add():
            return min(a + b, LARGE)
    return 0


def filled(pattern, given):
    """A text with %s or {} filled in, in order."""
    out = set()
    for t in pattern.texts:
        for v in given:
            one = sorted(v.texts or {UNKNOWN})[0]
            for hole in ("%s", "{}", "%d", "%r"):
                if hole in t:
                    t = t.replace(hole, one, 1)
                    break
        out.add(t[:4096])
    return Value(texts=frozenset(out), marks=pattern.marks)
