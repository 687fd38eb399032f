"""What an effect is worth: classes of paths, programs in command lines, verdicts.

The data stand in code_policy.json, which the skill for JavaScript reads too.
"""

import json
import os
import posixpath
import re
import shlex

HERE = os.path.dirname(os.path.abspath(__file__))


def _load():
    for folder in (os.getcwd(), HERE):  # a host puts our files into our working folder
        path = os.path.join(folder, "code_policy.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                return json.load(f)
    raise FileNotFoundError("code_policy.json")


DATA = _load()
CLASSES = [(name, re.compile(pattern)) for name, pattern in DATA["classes"]]
PROGRAMS = [(effect, re.compile(pattern)) for effect, pattern in DATA["programs"].items()]
LINES = [(effect, kind, re.compile(pattern, re.S)) for effect, kind, pattern in DATA["lines"]]
DESTROYS, NAMES = re.compile(DATA["sql"], re.I), re.compile(DATA["names"])
EXECUTABLE = re.compile(DATA["executable"], re.I)
VERDICTS, WORDS = DATA["verdicts"], DATA["words"]
SECRET = {"secrets", "system", "device"}
SAFE = {"", "workspace", "public", "work"}  # classes of files that may leave
UNKNOWN = "\0"  # stands for what cannot be told in a text
WRAPPERS = {"sudo", "doas", "env", "nohup", "nice", "time", "exec", "command", "setsid", "timeout", "xargs"}
URL = re.compile(r"^(?:https?|ftp|wss?)://(?:[^/@\s]*@)?([^/:?#\s]+)", re.I)


def path_class(path):
    """The class of a path, as far as its text tells: "" where it does not."""
    path = path.strip()
    if path.startswith("file://"):
        path = path[7:]
    if path.startswith(UNKNOWN):  # whatever folder it lies in, a key is a key
        known = path_class(path.lstrip(UNKNOWN).lstrip("/")) if "/" in path else ""
        return known if known in ("secrets", "persistence") else ""
    if not path or "\n" in path or len(path) > 1024 or URL.match(path):
        return ""
    if path.startswith("/"):
        path = posixpath.normpath(path)
        path = path[1:] if path.startswith("//") else path
    elif ".." in path:  # one that climbs far enough ends up at the root
        path = re.sub(r"^(?:[^/]+/)*?(?:\.\./)+(?=(?:etc|proc|root|sys|boot|bin|sbin|lib|usr|var|dev)/)", "/", path)
    for name, pattern in CLASSES:
        if pattern.search(path):
            return name
    return "workspace"


def climbs(path):
    """Whether a path reaches a protected place by way of another folder."""
    return ".." in path.split("/") and path_class(path) in SECRET | {"persistence"}


def host(text):
    """The host that a URL names, in lower case, or ""."""
    m = URL.match(text)
    return m[1].lower() if m and UNKNOWN not in m[1] else ""


def own(name):
    """Whether a host is this machine."""
    return name in ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def commands(line):
    """The commands of a line, each a list of words; of a list, the one it is."""
    try:
        words = list(shlex.shlex(line, posix=True, punctuation_chars=True)) if isinstance(line, str) else list(line)
    except ValueError:
        return None
    out, now = [], []
    for w in words:
        if isinstance(line, str) and w and not set(w) - set(";|&()<>\n"):
            out.append(now)
            now = [w] if set(w) <= set("<>") else []
        else:
            now.append(w)
    return [c for c in [*out, now] if c]


def command_effects(line):
    """What a command line does: pairs of an effect and a class or kind."""
    whole = line if isinstance(line, str) else " ".join(line)
    yield from ((effect, kind) for effect, kind, pattern in LINES if pattern.search(whole))
    found = commands(line)
    if found is None:
        yield "run", "computed"
        return
    for words in found:
        while words and (words[0] in WRAPPERS or re.match(r"^\w+=", words[0])):
            if words[0] in ("sudo", "doas"):
                yield "accounts", "any"
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
        if words:
            yield from _command(words)


def _command(words):
    program = posixpath.basename(words[0])
    rest = [w for w in words[1:] if not w.startswith("-")]
    if program in (">", ">>"):
        yield from (("overwrite", path_class(w)) for w in rest[:1])
        return
    for effect, pattern in PROGRAMS:
        if not pattern.match(program):
            continue
        if effect in ("kill", "accounts", "persistence"):
            yield effect, "any"
        elif effect == "hidden":
            inner = words[words.index("-c") + 1 :] if "-c" in words else []
            if inner and inner[0].strip(UNKNOWN) and "sh" in program:
                yield from command_effects(inner[0])
            elif "-c" in words or "-e" in words:
                yield "run", "computed"
        elif effect == "send":
            yield "send", "raw"
            yield from (("send", path_class(w)) for w in rest)
        elif effect == "download":
            yield from (("host", host(w)) for w in rest)
            yield from (("download", "program") for w in rest if EXECUTABLE.search(w))
            yield from (("send", path_class(w.lstrip("@"))) for w in rest if w.startswith("@"))
        else:
            for w in rest:
                yield effect, path_class(w.partition("=")[2] or w)
                if climbs(w):
                    yield "read", "climb"


def verdict(effects):
    """The worst of some effects: (deny or ask, effect, class, line), or None."""
    worst = None
    for effect, kind, line in effects:
        v = VERDICTS.get(effect, {}).get(kind, "")
        if v and (worst is None or v == "deny" and worst[0] == "ask"):
            worst = (v, effect, kind, line)
    return worst
