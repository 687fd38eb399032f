"""What calls do to the machine and to those who use it, beside its files and its network:
its memory, processes, accounts, rights and data, and what names mean.
"""

import ast

from code_policy import DESTROYS, NAMES
from code_values import number

HUGE, MANY = 10**9, 1000  # bytes; and how often is too often


class Machine:
    """Needs note, paths, operand and marks of the class that extends it, and where it stands."""

    def do_listen(self, n, *_):
        self.note("listen", "any", n)

    def do_kill(self, n, *_):
        self.note("kill", "any", n)

    def do_accounts(self, n, *_):
        self.note("accounts", "any", n)

    def do_watch(self, n, *_):
        self.note("watch", "any", n)

    def do_tamper(self, n, *_):
        self.note("tamper", "names", n)

    def do_secret(self, n, *_):
        self.note("read", "secrets", n)

    def do_drop(self, n, *_):
        self.note("delete", "data", n)

    def do_query(self, n, name, receiver, args, named, where):
        for v in self.operand(receiver, args, named, where):
            self.note("delete", "data" if any(DESTROYS.search(t) for t in v.texts) else "", n)

    def do_show(self, n, name, receiver, args, *_):
        self.note("read", "env" if any("environ" in self.marks(a) for a in args) else "", n)
        self.note("loops", "exhaust" if self.many and any("large" in a.marks for a in args) else "", n)

    def do_environs(self, n, name, receiver, args, named, where):
        given = [*args, *(a for v in args for a in v.items or ())]
        self.note("tamper", "names" if any(NAMES.match(t) for v in given for t in v.texts) else "", n)

    def do_imports(self, n, name, receiver, args, *_):
        shared = any(t.startswith(("/tmp/", "/var/tmp/", "/dev/shm/")) for v in args for t in v.texts)
        self.note("tamper", "names" if shared else "", n)

    def do_dial(self, n, name, receiver, args, *_):
        self.note("send", "probe" if self.loops else "", n)
        self.note("send", "raw" if "telnetlib" in name else "", n)

    def do_size(self, n, *_):
        self.note("loops", "exhaust" if any(number(a) >= HUGE for a in n.args) else "", n)

    def do_camera(self, n, *_):
        self.note("watch", "any" if n.args and isinstance(n.args[0], ast.Constant) and isinstance(n.args[0].value, int) else "", n)

    def do_hash(self, n, *_):
        self.note("loops", "exhaust" if self.forever else "", n)

    def do_umask(self, n, *_):
        self.note("overwrite", "rights" if n.args and isinstance(n.args[0], ast.Constant) and not n.args[0].value else "", n)

    def do_chmod(self, n, name, receiver, args, named, where):
        """Rights: of whom a file may be run as its owner, and, of many files, who may write."""
        self.do_overwrite(n, name, receiver, args, named, where)
        words = {x.attr for a in n.args for x in ast.walk(a) if isinstance(x, ast.Attribute)}
        mode = max((int(number(a)) for a in n.args), default=0)
        if mode & 0o6000 or words & {"S_ISUID", "S_ISGID"} or self.loops and (mode & 2 or "S_IWOTH" in words):
            self.note("overwrite", "rights", n)

    def do_loads(self, n, *_):
        words = {x.attr for a in [*n.args, *(k.value for k in n.keywords)] for x in ast.walk(a) if isinstance(x, ast.Attribute)}
        self.note("run", "unpacked" if words & {"UnsafeLoader", "Loader"} or n.func.__dict__.get("attr") == "unsafe_load" else "", n)

    def do_library(self, n, *_):
        self.note("run", "library", n)

    def do_raw(self, n, *_):
        self.note("send", "raw", n)

    def do_encrypt(self, *_):
        self.heard.add("encrypts")

    def do_spawn(self, n, name, receiver, args, named, where):
        if self.endless or name == "os.fork" and self.loops:
            self.note("loops", "spawn", n)
        elif self.many or any(f"def {self.inside}" in v.names for v in (*args, *named.values())):
            self.note("loops", "many", n)
