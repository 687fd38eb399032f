#!/usr/bin/python3 -I
"""A gate that judges Python code with Python's own parser.

It judges the tool "python", whose argument :code is a program. Code that runs other
programs, that runs text nobody has read, or that reaches for the interpreter's own
parts is rejected; code that deletes, talks to the network, or hides what it calls
is left to a person. What it imports and whatever names it gives things, a call is
found by what it really names.

It is an example of a skill in Python: see docs/plugins.md.
"""

import ast
import os
import sys

# In a host's working folder the modules are beside us; -I keeps everybody else's out.
sys.path.insert(0, os.getcwd() if "CORTEX_SKILL" in os.environ else os.path.dirname(os.path.abspath(__file__)))

from cortex_skill import Ask, Pass, Reject, action, serve  # noqa: E402

MAX_CODE = 64 << 10

# What is named, and the clause that says so. A name ending in a dot is a module
# with all that is in it.
NAMED = {
    "runs-programs": (
        "subprocess.", "pty.", "ctypes.", "_ctypes.", "cffi.", "multiprocessing.", "os.system", "os.popen", "os.exec", "os.spawn", "os.posix_spawn",
        "os.fork", "os.startfile", "posix.", "nt.", "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell",
        "signal.", "os.kill", "os.killpg", "_posixsubprocess.",
    ),
    "runs-text": (
        "eval", "exec", "compile", "__import__", "importlib.", "runpy.", "code.", "codeop.", "pickle.load", "pickle.Unpickler", "marshal.load",
        "shelve.", "dill.", "imp.", "zipimport.", "builtins.", "_pickle.",
    ),
    "interpreter": ("__builtins__", "sys.modules", "sys._getframe", "sys.settrace", "sys.setprofile", "sys.meta_path", "gc.", "inspect.", "types.", "breakpoint"),
    "deletes": ("shutil.rmtree", "shutil.move", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.rename", "os.replace", "os.truncate", "os.chmod", "os.chown"),
    "network": (
        "socket.", "ssl.", "urllib.", "http.", "requests.", "httpx.", "aiohttp.", "ftplib.", "smtplib.", "poplib.", "imaplib.", "telnetlib.",
        "xmlrpc.", "socketserver.", "webbrowser.", "paramiko.", "asyncio.open_connection", "asyncio.start_server",
    ),
    "hides": ("globals", "locals", "vars"),
}
INNER = {  # attributes by which code climbs out of what it was given
    "__subclasses__", "__globals__", "__builtins__", "__code__", "__closure__", "__bases__", "__base__", "__mro__", "__dict__", "__getattribute__",
    "__reduce__", "__reduce_ex__", "__import__", "__loader__", "__spec__", "f_globals", "f_locals", "f_back", "gi_frame", "tb_frame", "cr_frame",
}
METHODS = {"unlink": "deletes", "rmdir": "deletes", "rmtree": "deletes"}  # of whatever object
HANDED = {"os", "sys", "shutil", "subprocess", "socket", "builtins", "importlib", "pickle", "ctypes"}  # modules nobody should pass on

TEXTS = {
    "syntax": "the code is not valid Python",
    "too-long": "the code is too long to be judged; do it in steps",
    "runs-programs": "the code runs or signals other programs; use a tool for that",
    "runs-text": "the code runs text or data that nobody has read; write out what it does",
    "interpreter": "the code reaches into the interpreter; write out what it does",
    "deletes": "the code deletes, moves or changes files",
    "network": "the code talks to the network",
    "hides": "what the code calls cannot be told before it runs",
}
ASKED = {"deletes", "network", "hides"}


def clause_of(name):
    """The clause that a dotted name falls under, or None."""
    for clause, entries in NAMED.items():
        for entry in entries:
            if entry.endswith("."):
                if name == entry[:-1] or name.startswith(entry):
                    return clause
            elif name == entry or entry.startswith(("os.exec", "os.spawn", "os.posix_spawn", "pickle.load", "marshal.load")) and name.startswith(entry):
                return clause
    return None


class Finder(ast.NodeVisitor):
    """Finds what code names. Found is a list of (clause, line, name)."""

    def __init__(self):
        self.found, self.names = [], {}

    def note(self, clause, node, name):
        if clause:
            self.found.append((clause, getattr(node, "lineno", 1), name))

    def imported(self, tree):
        """First all imports, wherever they are: a name means the worst it could."""
        for n in ast.walk(tree):
            if isinstance(n, ast.Import):
                for a in n.names:
                    self.names[a.asname or a.name.split(".")[0]] = a.name if a.asname else a.name.split(".")[0]
                    self.note(clause_of(a.name), n, a.name)
            elif isinstance(n, ast.ImportFrom):
                module = n.module or ""
                for a in n.names:
                    name = f"{module}.{a.name}"
                    self.note("hides" if a.name == "*" else clause_of(name), n, name)
                    self.names[a.asname or a.name] = name

    def dotted(self, n):
        """The name that an expression spells, through imports, or None."""
        parts = []
        while isinstance(n, ast.Attribute):
            parts.append(n.attr)
            n = n.value
        if not isinstance(n, ast.Name):
            return None
        return ".".join([self.names.get(n.id, n.id), *reversed(parts)])

    def look(self, tree):
        self.imported(tree)
        bases = set()
        for n in ast.walk(tree):  # iterative: depth costs nothing
            if isinstance(n, ast.Attribute):
                bases.add(id(n.value))
                name = self.dotted(n)
                self.note(clause_of(name) if name else None, n, name)
                if n.attr in INNER:
                    self.note("interpreter", n, n.attr)
                elif name is None or clause_of(name) is None:
                    self.note(METHODS.get(n.attr), n, n.attr)
            elif isinstance(n, ast.Name):
                name = self.names.get(n.id, n.id)
                if isinstance(n.ctx, ast.Load):
                    self.note(clause_of(name), n, name)
                if name in HANDED and n.id in self.names and id(n) not in bases:
                    self.note("hides", n, name)
            elif isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("getattr", "setattr", "delattr"):
                self.attribute(n, bases)
        return sorted(self.found, key=lambda f: (list(TEXTS).index(f[0]), f[1], f[2] or ""))

    def attribute(self, n, bases):
        """getattr(x, "name") is x.name; with anything else nobody can tell."""
        if len(n.args) > 1 and isinstance(n.args[1], ast.Constant) and isinstance(n.args[1].value, str):
            bases.add(id(n.args[0]))
            base, attr = self.dotted(n.args[0]), n.args[1].value
            self.note("interpreter" if attr in INNER else clause_of(f"{base}.{attr}") if base else METHODS.get(attr), n, f"{base}.{attr}")
        else:
            self.note("hides", n, n.func.id)


def judge(action, _facts):
    code = action.args.get("code")
    if not isinstance(code, str):
        return Pass("no code")  # the tool's own schema refuses it
    if len(code) > MAX_CODE:
        return Reject(TEXTS["too-long"], "too-long", f"{len(code)} characters", True)
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        line = f", line {e.lineno}" if getattr(e, "lineno", None) else ""
        return Reject(TEXTS["syntax"] + line, "syntax", f"{type(e).__name__}: {e}", True)
    found = Finder().look(tree)
    if not found:
        return Pass()
    clause, line, name = found[0]
    kind = Ask if clause in ASKED else Reject
    return kind(TEXTS[clause], clause, f"{name}, line {line}", kind is Reject)


EXAMPLES = [
    ("arithmetic", action("python", code="print(sum(range(10)))"), "pass"),
    ("reading a file", action("python", code="import json\nprint(json.load(open('a.json'))['x'])"), "pass"),
    ("a program", action("python", code="import os\nos.system('ls')"), "reject"),
    ("a program by another name", action("python", code="from subprocess import run as r\nr(['ls'])"), "reject"),
    ("text that is run", action("python", code="exec(input())"), "reject"),
    ("climbing out", action("python", code="().__class__.__mro__[1].__subclasses__()"), "reject"),
    ("half a program", action("python", code="print('half"), "reject"),
    ("too much", action("python", code="#" * (MAX_CODE + 1)), "reject"),
    ("deleting", action("python", code="import shutil\nshutil.rmtree('out')"), "ask"),
    ("the network", action("python", code="import urllib.request as u\nu.urlopen('https://example.org')"), "ask"),
    ("a name made up as it runs", action("python", code="import os\ngetattr(os, 'sys' + 'tem')('ls')"), "ask"),
    ("no code", action("python"), "pass"),
]

if __name__ == "__main__":
    serve(
        name="python-gate", release="1.0.0", doc="Judges Python code with Python's own parser.", priority=140, judges=["python"],
        judge=judge, clauses=list(TEXTS), examples=EXAMPLES,
    )
