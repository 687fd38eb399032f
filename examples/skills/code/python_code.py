#!/usr/bin/python3 -I
"""Python-code judges Python code by its effects: what it deletes, overwrites, copies,
reads, sends, fetches, runs, listens on, ends, and to what.

It judges the tool "python", whose argument :code is a program. Texts are followed
through names, joins, functions and loops, so that a path is judged by where it
leads. It asks or denies under one key for each effect, and vouches for what stays in
the workspace: a tool whose tier asks then runs, and without this skill still asks.
See code_policy.json for the verdicts, and docs/plugins.md for skills.
"""

import ast
import os
import sys
import warnings

# In a host's working folder the modules are beside us; -I keeps everybody else's out.
sys.path.insert(0, os.getcwd() if "CORTEX_SKILL" in os.environ else os.path.dirname(os.path.abspath(__file__)))

from code_bandit import findings  # noqa: E402
from code_policy import WORDS, verdict  # noqa: E402
from code_reader import Reader  # noqa: E402
from code_words import Words  # noqa: E402
from cortex_skill import Allow, Ask, Pass, Reject, action, serve  # noqa: E402

MAX_CODE = 64 << 10
warnings.simplefilter("ignore")  # the parser's, about the code that is judged


def judge(action, facts):
    code = action.args.get("code")
    if not isinstance(code, str):
        return Pass("no code")  # the tool's own schema refuses it
    if len(code) > MAX_CODE:
        return Reject(WORDS["too-long"], "too-long", f"{len(code)} characters", True)
    try:
        others = findings(code)
        found = verdict(Reader(ast.parse(code), Words(facts)).read() + others)
    except (RecursionError, MemoryError) as e:
        return Reject(WORDS["too-deep"], "too-deep", type(e).__name__, True)
    except (SyntaxError, ValueError) as e:
        line = f", line {e.lineno}" if getattr(e, "lineno", None) else ""
        return Reject(WORDS["syntax"] + line, "syntax", f"{type(e).__name__}: {e}", True)
    if not found:
        return Allow("the code keeps to the workspace", detail=", ".join(f"bandit {check}, line {line}" for _, check, line in others))
    kind, effect, what, line = found
    return (Reject if kind == "deny" else Ask)(WORDS[effect], effect, f"{effect} {what}, line {line}", kind == "deny")


EXAMPLES = [
    ("arithmetic", action("python", code="print(sum(range(10)))"), "allow"),
    ("a file of the workspace", action("python", code="open('out/a.txt', 'w').write('x')"), "allow"),
    ("deleting in the workspace", action("python", code="import os\nos.remove('a.tmp')"), "allow"),
    ("deleting what the system needs", action("python", code="import os\np = '/etc'\nos.remove(p + '/hosts')"), "reject"),
    ("a key is read", action("python", code="print(open('/home/u/.ssh/id_rsa').read())"), "ask"),
    ("what was received is run", action("python", code="import os, socket\ns = socket.socket()\nos.system(s.recv(9).decode())"), "reject"),
    ("half a program", action("python", code="print('half"), "reject"),
    ("no code", action("python"), "pass"),
]

if __name__ == "__main__":
    serve(
        name="python-code", release="1.0.0", doc="Judges Python code by its effects.", priority=140, judges=["python"], sees=["turns"], rights=["allow"],
        judge=judge, clauses=list(WORDS), examples=EXAMPLES,
    )
