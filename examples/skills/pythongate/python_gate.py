#!/usr/bin/python3 -I
"""A gate that judges Python code with Python's own parser.

It judges the tool "python", whose argument :code is a program. Code that runs other
programs, that runs text nobody has read, or that reaches for the interpreter's own
parts is rejected; code that deletes, talks to the network, or hides what it calls
is left to a person, and so is whatever this gate does not know: a module, or a part
of os or sys, that is not on its lists. A call is found by what it really names,
whatever it is imported as.

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
    "deletes": ("shutil.", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.rename", "os.replace", "os.truncate", "os.chmod", "os.chown", "os.open", "os.write",
                "os.link", "os.symlink", "tempfile."),
    "network": (
        "socket.", "ssl.", "urllib.", "http.", "requests.", "httpx.", "aiohttp.", "ftplib.", "smtplib.", "poplib.", "imaplib.", "telnetlib.",
        "xmlrpc.", "socketserver.", "webbrowser.", "paramiko.", "asyncio.open_connection", "asyncio.start_server",
    ),
    "hides": ("globals", "locals", "vars"),
}
INNER = {  # attributes by which code climbs out of what it was given
    "__subclasses__", "__globals__", "__builtins__", "__code__", "__closure__", "__bases__", "__base__", "__mro__", "__dict__", "__getattribute__",
    "__self__", "__func__", "__wrapped__", "mro", "__reduce__", "__reduce_ex__", "__import__", "__loader__", "__spec__", "f_globals", "f_locals", "f_back", "gi_frame", "tb_frame", "cr_frame",
}
# Methods of whatever object.
METHODS = {"unlink": "deletes", "rmdir": "deletes", "rmtree": "deletes", "write_text": "deletes", "write_bytes": "deletes"}
# Modules that do nothing but compute, and parts of others that only look.
FAMILIAR = set("""__future__ abc argparse array base64 bisect calendar cmath collections colorsys contextlib copy csv dataclasses datetime decimal
    difflib enum fractions functools glob graphlib hashlib heapq hmac html io itertools json keyword locale math numbers operator os pathlib pprint
    queue random re secrets shlex statistics string struct sys textwrap threading time token tokenize tomllib traceback typing unicodedata uuid
    warnings weakref zlib zoneinfo ast bz2 gzip lzma binascii fnmatch logging os.path posixpath collections.abc""".split())
PARTS = {
    "os": set("path getcwd listdir walk scandir sep linesep name stat lstat getpid cpu_count fspath mkdir makedirs urandom PathLike curdir pardir extsep access F_OK R_OK".split()),
    "sys": set("argv exit stdin stdout stderr version version_info maxsize byteorder platform float_info int_info getsizeof setrecursionlimit getrecursionlimit intern".split()),
}
CALLED = {"open", "io.open", "getattr", "setattr", "delattr"}  # judged by their arguments, so not to be passed on
# Other modules carry these within reach, such as glob.os: what comes after counts.
CARRIED = {"os", "_os", "sys", "_sys", "subprocess", "_subprocess", "builtins", "_builtins", "posix", "importlib", "shutil", "_shutil", "io", "_io"}
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
    "unfamiliar": "the code uses a module that this gate does not know",
}
ASKED = {"deletes", "network", "hides", "unfamiliar"}


def real(name):
    """What a dotted name ends up at: glob.os.system is os.system."""
    parts = name.split(".")
    carried = [i for i, p in enumerate(parts) if p in CARRIED]
    return ".".join(parts[carried[-1] :]).lstrip("_") if carried and carried[-1] > 0 else name


PREFIXES = ("os.exec", "os.spawn", "os.posix_spawn", "pickle.load", "marshal.load")


def clause_of(name):
    """The clause that a dotted name falls under, or None."""
    name = real(name)
    for clause, entries in NAMED.items():
        for entry in entries:
            if entry.endswith("."):
                if name == entry[:-1] or name.startswith(entry):
                    return clause
            elif name == entry or name.startswith(entry + ".") or entry in PREFIXES and name.startswith(entry):
                return clause
    module, _, rest = name.partition(".")
    if rest and module in PARTS and rest.split(".")[0] not in PARTS[module]:
        return "unfamiliar"
    return None


def clause_of_module(name):
    """The clause that importing a module falls under, or None."""
    return clause_of(name) or (None if name in FAMILIAR or name.split(".")[0] in PARTS else "unfamiliar")


def writes(n, at):
    """Whether a call of open, with its mode at this place, may change a file."""
    mode = n.args[at] if len(n.args) > at else next((k.value for k in n.keywords if k.arg == "mode"), None)
    if mode is None:
        return any(k.arg is None for k in n.keywords) or any(isinstance(a, ast.Starred) for a in n.args)
    return not (isinstance(mode, ast.Constant) and isinstance(mode.value, str) and not set(mode.value) & set("wax+"))


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
                    self.note(clause_of_module(a.name), n, a.name)
            elif isinstance(n, ast.ImportFrom):
                module = n.module or ""
                for a in n.names:
                    name = f"{module}.{a.name}"
                    self.note("hides" if a.name == "*" else clause_of(name) or clause_of_module(module), n, name)
                    self.names[a.asname or a.name] = name

    def dotted(self, n):
        """The name that an expression spells, through imports; it begins with ? if
        nobody can tell at what."""
        parts = []
        while isinstance(n, ast.Attribute):
            parts.append(n.attr)
            n = n.value
        first = self.names.get(n.id, n.id) if isinstance(n, ast.Name) else "?"
        return ".".join([first, *reversed(parts)])

    def look(self, tree):
        self.imported(tree)
        bases = set()
        for n in ast.walk(tree):  # iterative: depth costs nothing
            if isinstance(n, ast.Attribute):
                bases.add(id(n.value))
                name = self.dotted(n)
                self.note("interpreter" if n.attr in INNER else clause_of(name) or METHODS.get(n.attr), n, name)
                if name in CALLED and id(n) not in bases:
                    self.note("hides", n, name)
            elif isinstance(n, ast.Name):
                name = self.names.get(n.id, n.id)
                if isinstance(n.ctx, ast.Load):
                    self.note(clause_of(name), n, name)
                if id(n) not in bases and (real(name) in HANDED and n.id in self.names or name in CALLED):
                    self.note("hides", n, name)
            elif isinstance(n, ast.Call):
                self.call(n, bases)
        return sorted(self.found, key=lambda f: (list(TEXTS).index(f[0]), f[1], f[2] or ""))

    def call(self, n, bases):
        name = self.dotted(n.func)
        bases.add(id(n.func))
        if name in ("open", "io.open") and writes(n, 1) or name.endswith(".open") and name != "io.open" and n.args and writes(n, 0):
            self.note("deletes", n, name)
        if name not in ("getattr", "setattr", "delattr"):
            return
        # getattr(x, "name") is x.name; with anything else nobody can tell.
        if len(n.args) > 1 and isinstance(n.args[1], ast.Constant) and isinstance(n.args[1].value, str):
            bases.add(id(n.args[0]))
            attr = n.args[1].value
            name = f"{self.dotted(n.args[0])}.{attr}"
            self.note("interpreter" if attr in INNER else clause_of(name) or METHODS.get(attr), n, name)
        else:
            self.note("hides", n, name)


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
    ("a module that nobody knows", action("python", code="import something"), "ask"),
    ("no code", action("python"), "pass"),
]

if __name__ == "__main__":
    serve(
        name="python-gate", release="1.0.0", doc="Judges Python code with Python's own parser.", priority=140, judges=["python"],
        judge=judge, clauses=list(TEXTS), examples=EXAMPLES,
    )
