"""What calls do: a do_ method for each kind of call notes effects, each a triple of
(effect, class or kind, line).
"""

import ast

from code_machine import Machine
from code_policy import EXECUTABLE, UNKNOWN, climbs, command_effects, host, own, path_class

# Calls whose text is a program, and no name of a module or a file.
PROGRAMS = ("eval", "exec", "compile", "builtins.eval", "builtins.exec")
METADATA = ("169.254.169.254", "metadata.google.internal", "fd00:ec2::254")


class Effects(Machine):
    """The effects of a program, and what was heard of it on the way."""

    def __init__(self, words, depth=0):
        self.depth = depth  # in how many other programs this one stands
        self.words, self.effects, self.heard = words, set(), set()
        self.loops, self.endless, self.many, self.forever, self.wrote = 0, 0, 0, 0, False
        self.inside = ""  # the function that is read
        self.saved = set()  # the names of what was fetched
        self.programs = {}  # texts that are run as programs, and their effects

    def note(self, effect, kind, n):
        if kind:
            self.effects.add((effect, kind, getattr(n, "lineno", 1)))

    def whole(self, tree):
        """Effects of the program as a whole."""
        h = self.heard
        if "encrypts" in h and "walks" in h and self.wrote:
            self.note("loops", "encrypt", tree)

    @staticmethod
    def marks(v):
        """The marks of a value and of its items."""
        return v.marks.union(*(i.marks for i in v.items)) if v.items else v.marks

    @staticmethod
    def operand(receiver, args, named, where):
        """The values at places of a call: a number, a keyword, or self."""
        for w in where:
            if w == "self":
                yield receiver
            elif isinstance(w, int) and len(args) > w:
                yield args[w]
            elif isinstance(w, str) and w in named:
                yield named[w]

    def paths(self, effect, n, values):
        for v in values:
            every = v.texts | (frozenset().union(*(i.texts for i in v.items)) if v.items else frozenset())
            for t in every:
                self.note(effect, path_class(t), n)
                if climbs(t):
                    self.note("read", "climb", n)
            if effect == "delete" and v.names & {"__file__", "sys.argv"}:
                self.note("delete", "itself", n)

    def touched(self, n, values):
        """Protected files that a call is given, whatever it does."""
        for v in values:
            for t in v.texts:
                if t.startswith(("/", "~")) and not set(t) & set(" \t\n\0"):
                    self.note("touch", path_class(t), n)

    def do_delete(self, n, name, receiver, args, named, where):
        self.paths("delete", n, self.operand(receiver, args, named, where))

    def do_overwrite(self, n, name, receiver, args, named, where):
        self.wrote = True
        self.paths("overwrite", n, self.operand(receiver, args, named, where))

    def do_copy(self, n, name, receiver, args, named, where):
        self.paths("copy", n, self.operand(receiver, args, named, where[:2]))
        self.paths("overwrite", n, self.operand(receiver, args, named, where[2:]))

    def do_move(self, n, name, receiver, args, named, where):
        self.do_copy(n, name, receiver, args, named, where)
        self.paths("delete", n, self.operand(receiver, args, named, where[:2]))

    def do_read(self, n, name, receiver, args, named, where):
        self.heard.add("walks" if "walk" in name or "list" in name or "glob" in name else "reads")
        places = list(self.operand(receiver, args, named, where))
        self.paths("read", n, places or [receiver] if "rglob" in name else places)
        if "walk" in name or "rglob" in name:
            self.note("read", "all" if any(path_class(t) == "home" for v in places or [receiver] for t in v.texts) else "", n)

    def do_open(self, n, name, receiver, args, named, where):
        at, mode_at = where
        target = [receiver] if at == "self" else list(self.operand(receiver, args, named, (at, "file", "path", "filename")))
        modes = [m for v in self.operand(receiver, args, named, (mode_at, "mode")) for m in v.texts]
        if any(set(m) & set("wax+") for m in modes):
            self.wrote = True
            self.paths("overwrite", n, target)
            fetched = any("received" in v.marks for v in (receiver, *args))
            self.note("download", "program" if fetched else "", n)
        if not modes or any("r" in m or "+" in m for m in modes):
            self.paths("read", n, target)

    def do_run(self, n, name, receiver, args, named, where):
        for v in self.operand(receiver, args, named, where):
            marks = v.marks.union(*(i.marks for i in v.items)) if v.items else v.marks
            for m in ("received", "decoded", "downloaded"):
                self.note("run", m if m in marks else "", n)
            if "input" in marks and (v.items is None or name.startswith("os.")):
                self.note("run", "input", n)
            lines = [[sorted(i.texts or {UNKNOWN})[0] for i in v.items]] if v.items else sorted(v.texts)
            for line in lines:
                for effect, kind in command_effects(line):
                    if effect == "host":
                        self.asked(n, [kind])
                    else:
                        self.note(effect, kind, n)
            if v.texts & self.saved or v.items and any(i.texts & self.saved for i in v.items[:2]):
                self.note("run", "downloaded", n)
            if any("__file__" in x.names for x in (v, *(v.items or ()))):
                self.note("loops", "many", n)
        if self.endless:
            self.note("loops", "spawn", n)
        elif self.many:
            self.note("loops", "many", n)

    def do_text(self, n, name, receiver, args, named, where):
        for v in self.operand(receiver, args, named, where):
            for m in ("received", "decoded", "input"):
                self.note("run", m if m in v.marks else "", n)
            if not v.texts or any(UNKNOWN in t for t in v.texts):
                self.note("run", "computed", n)
            for t in v.texts if name in PROGRAMS else ():
                self.inner(t, n)

    def inner(self, program, n):
        """The effects of a program that stands as a text in this one."""
        if self.depth >= 3 or UNKNOWN in program:
            return
        if program not in self.programs:
            try:
                self.programs[program] = type(self)(ast.parse(program.strip()), self.words, self.depth + 1).read()
            except (SyntaxError, ValueError):
                self.programs[program] = []  # what runs it will say so
        for effect, kind, _ in self.programs[program]:
            self.note(effect, kind, n)

    def do_send(self, n, name, receiver, args, named, where):
        sent = [v for v in self.operand(receiver, args, named, where)]
        for v in sent:
            for m in ("secrets", "system", "device", "env", "large", "persistence", "shared", "inhome", "outside"):
                self.note("send", {"device": "system"}.get(m, m) if m in v.marks else "", n)
            self.paths("send", n, [v])
        if name.startswith("socket.") or "socket.socket()" in name:
            self.note("send", "raw", n)
        if self.endless or self.many:
            self.note("send", "loops", n)
        self.foreign(n, args + list(named.values()) if sent else [])

    def foreign(self, n, values):
        """A host that the code names and the user does not."""
        for v in values:
            for t in v.texts:
                h = host(t)
                if h and not own(h) and not self.words.named(h):
                    self.note("send", "foreign", n)

    def asked(self, n, hosts):
        """Hosts that are asked for something."""
        for h in hosts:
            self.note("fetch", "strange" if self.words.strange(h) else "", n)
            self.note("read", "secrets" if h in METADATA else "", n)

    def do_fetch(self, n, name, receiver, args, named, where):
        url = [t for v in self.operand(receiver, args, named, where) for t in v.texts]
        self.asked(n, map(host, url))
        if any(EXECUTABLE.search(t.partition("?")[0]) and not self.words.named(host(t)) for t in url if host(t)):
            self.heard.add("program")
            self.note("download", "program", n)
        self.do_send(n, name, receiver, args, named, ("data", "json", "files", "body"))
        asks = [v for w in (0, "url", "params", "headers") for v in self.operand(receiver, args, named, (w,))]
        if any("file" in m for m in map(self.marks, asks)):
            self.foreign(n, asks)
        for v in asks:
            for m in ("secrets", "system", "environ"):
                self.note("send", {"environ": "env"}.get(m, m) if m in self.marks(v) else "", n)

    def do_save(self, n, name, receiver, args, named, where):
        self.do_fetch(n, name, receiver, args, named, where[:2])
        for v in self.operand(receiver, args, named, where[2:]):
            self.saved |= v.texts | {"./" + t for t in v.texts}
        self.paths("download", n, self.operand(receiver, args, named, where[2:]))

    def do_unpack(self, n, name, receiver, args, named, where):
        for v in self.operand(receiver, args, named, where):
            self.note("run", "received" if "received" in v.marks else "unpacked" if "decoded" in v.marks else "", n)

    def do_lookup(self, n, name, receiver, args, *_):
        made = any(UNKNOWN + "." in t for v in args[:1] for t in v.texts)
        self.note("send", "name" if made else "", n)

    def do_package(self, n, name, receiver, args, *_):
        given = [*args, *(a for v in args for a in v.items or ())]
        self.note("download", "program" if any("://" in t for v in given for t in v.texts) else "", n)

    def do_away(self, n, *rest):
        self.note("send", "away", n)
        self.do_send(n, *rest)

    def do_mail(self, n, name, receiver, args, named, where):
        self.note("send", "mail", n)
        self.do_send(n, name, receiver, args, named, where)
