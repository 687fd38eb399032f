"""For tests: what the skill says of files, each a line of JSON. A file holds a list, in
JSON: what the user said, what a text said, and the code. Bandit is asked with --bandit.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../../plugins/python")]

import cortex_skill as skill  # noqa: E402
import python_code  # noqa: E402

names = sys.argv[1:]
if names[:1] == ["--bandit"]:
    names = names[1:]
else:  # what the host has makes no difference
    python_code.findings = lambda code: []
for name in names:
    with open(name, encoding="utf-8") as f:
        said, given, code = json.load(f)
        facts = {"session": {"turns": [{"user": said}, {"call": {"tool": "read", "result": {"text": given}}}]}}
        v = python_code.judge(skill.Action("python", {"code": code}), facts)
    kind = type(v).__name__.lower()
    print(json.dumps(["deny" if kind == "reject" else kind, getattr(v, "clause", "")]))
