"""Tests of python_gate.py: make test runs them, and so does
python3 -I test_python_gate.py."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "../../../plugins/python")]

import cortex_skill as skill  # noqa: E402
import python_gate as gate  # noqa: E402


def clause(code):
    verdict = gate.judge(skill.Action("python", {"code": code}), {})
    return getattr(verdict, "clause", "")


class Gate(unittest.TestCase):
    def test_clauses(self):
        cases = {
            "": "",
            "x = [i ** 2 for i in range(9)]": "",
            "import os\nprint(os.path.join('a', 'b'))": "",
            "def system(): pass\nsystem()": "",
            "import os as o\no.execvp('ls', [])": "runs-programs",
            "def f():\n  from os import popen\n  return popen": "runs-programs",
            "import os\nx = os.system\nx('ls')": "runs-programs",
            "import os\ngetattr(os, 'system')('ls')": "runs-programs",
            "import ctypes": "runs-programs",
            "from ctypes.util import find_library": "runs-programs",
            "e = eval\ne('1')": "runs-text",
            "__import__('os')": "runs-text",
            "import pickle\npickle.loads(b'')": "runs-text",
            "import builtins as b\nb.exec('')": "runs-text",
            "print.__self__.__dict__": "interpreter",
            "import sys\nsys.modules['os']": "interpreter",
            "getattr(x, '__globals__')": "interpreter",
            "__builtins__['eval']": "interpreter",
            "from pathlib import Path\nPath('x').unlink()": "deletes",
            "import socket": "network",
            "import http.client": "network",
            "from os import *": "hides",
            "import os\nf(os)": "hides",
            "import os\no = os\no.system": "hides",
            "globals()['x']": "hides",
            "getattr(a, b)": "hides",
            "import os\nos.remove('a')\nos.system('b')": "runs-programs",  # the worst counts
            # What was found by attacking it.
            "import os.path as p\np.os.system('ls')": "runs-programs",
            "import glob\nglob.os.system('ls')": "runs-programs",
            "from glob import os as o\no.system('ls')": "runs-programs",
            "import random\nrandom._os.system('ls')": "runs-programs",
            "f().os.system('ls')": "runs-programs",
            "x = [__import__][0]": "runs-text",
            "print.__self__.eval('1')": "interpreter",
            "().__class__.mro()[1]": "interpreter",
            "import timeit\ntimeit.timeit('1')": "unfamiliar",
            "import os\n[os][0].system('ls')": "hides",
            "from glob import os\nf(os)": "hides",
            "import os\nos.environ": "unfamiliar",
            "import os\nos.mknod('x')": "unfamiliar",
            "import os\nos.symlink('a', 'b')": "deletes",
            "open('a').read()": "",
            "open('a', 'rb')": "",
            "open('a', encoding='utf-8')": "",
            "open('a', 'w')": "deletes",
            "open('a', mode=m)": "deletes",
            "open(*a)": "deletes",
            "open('a', **k)": "deletes",
            "from io import open as o\no('a', 'r+')": "deletes",
            "from pathlib import Path\nPath('a').open('w')": "deletes",
            "from pathlib import Path\nPath('a').open()": "",
            "from pathlib import Path\nPath('a').write_text('')": "deletes",
            "o = open\no('a')": "hides",
            "import io\nmap(io.open, x)": "hides",
            "f = [open][0]\nf('a', 'w')": "hides",
            "print(": "syntax",
            "\0": "syntax",
            "(" * 5000: "syntax",
            "-" * 60000 + "1": "syntax",
            "x" * (gate.MAX_CODE + 1): "too-long",
        }
        for code, want in cases.items():
            with self.subTest(code=code[:60]):
                self.assertEqual(clause(code), want)

    def test_examples(self):
        clauses = set()
        for name, text, want, *_ in gate.EXAMPLES:
            a = skill.read(text)
            verdict = gate.judge(skill.Action(a["tool"], a["args"]), {})
            self.assertEqual(type(verdict).__name__.lower(), want, name)
            clauses.add(getattr(verdict, "clause", ""))
        self.assertEqual(clauses, set(gate.TEXTS) | {""}, "every clause is in an example")

    def test_no_code(self):
        for args in ({}, {"code": 1}, {"code": []}, {"code": None}):
            self.assertIsInstance(gate.judge(skill.Action("python", args), {}), skill.Pass)


class Notation(unittest.TestCase):
    def test_read(self):
        cases = {
            "nil": [], "{}": {}, "t": True, "false": False, "null": None, "-12": -12, "1.5": 1.5, "1e+21": 1e21, "1e-07": 1e-7,
            '"a\\"b\\\\c\\n\\u{1}"': 'a"b\\c\n\x01', ":key": "key", "(1 (2 nil))": [1, [2, []]], "(:a 1 :|B c| (:d {}))": {"a": 1, "B c": {"d": {}}},
            '(":a" 1)': [":a", 1], "word": "word",
        }
        for text, want in cases.items():
            with self.subTest(text=text):
                got = skill.read(text)
                self.assertEqual(got, want)
                self.assertIs(type(got) is bool, type(want) is bool)

    def test_refused(self):
        for text in ("", "(", ")", "1 2", "(:a)", "(:a 1 :a 2)", "(:a 1 2 3)", '"', '"\\x"', "(" * 65 + ")" * 65, "; x", "'a"):
            with self.subTest(text=text), self.assertRaises(skill.NotationError):
                skill.read(text)

    def test_write_is_read(self):
        for value in ([], {}, "a\"\\\n\t\x7f\u2028é", {"b": [1, True, None], "a": {}}, [["x"]], -5):
            self.assertEqual(skill.read(skill.write(value)), value)


if __name__ == "__main__":
    unittest.main()
