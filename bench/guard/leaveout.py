#!/usr/bin/env python3
"""Measures the guard on data that its words do not know: leave one suite out, leave one goal out.

usage: leaveout.py DATA GUARD-COMMAND... > table in Markdown

DATA is a folder with dev.jsonl, tools.json, to_requests.py and score.py. Of each suite (each of
the attackers' goals), the verbs, the nouns of verbs and the groups of things in the lexicon are
cut to the words that occur in the other suites (goals): in users' words, results, calls, goals and
descriptions of tools. The declarations are drafted with the words that are left. Rules and the
other words of the language stay: they are no list of things, but they were written by somebody who
has seen all of these data.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LEXICON = pathlib.Path(__file__).parents[2] / "skills/provenance/internal/lexicon/data/english.lisp"
WORD = re.compile(r"[a-z][a-z'-]*")


def words(value):
    return set(WORD.findall(re.sub(r"[_\\]n?", " ", json.dumps(value)).lower()))


def seen(case):
    return words([case["user_task"], case["trace_prefix"], case["call"], case.get("attack_goal")])


def stem(word):
    return re.sub(r"(ing|ed|es|s|e)$", "", word) if len(word) > 4 else word


def form(text, name):
    """The definition of this name, from its parenthesis to the one that closes it."""
    at = text.index("\n(" + name + "\n") + 1
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return text[at : i + 1]
    raise ValueError(name)


def cut(lexicon, known):
    stems = {stem(w) for w in known}

    def left(quoted):
        kept = [w for w in quoted.group(1).split() if w in known or stem(w) in stems]
        return '"' + " ".join(kept or ["zzz"]) + '"'

    for name in ("verbs", "verb-nouns", "groups"):
        body = form(lexicon, name)
        lexicon = lexicon.replace(body, re.sub(r'"([^"]*)"', left, body))
    return lexicon


def judge(data, guard, lexicon, cases):
    """Judges the cases with a lexicon, and returns what the scorer says."""
    sys.path.insert(0, str(data))
    import to_requests

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "words").write_text(lexicon)
        (folder / "cases").write_text("".join(json.dumps(c) + "\n" for c in cases))
        (folder / "requests").write_text("".join(json.dumps(to_requests.request(c)) + "\n" for c in cases))
        run = [*guard, "--tools", data / "tools.json", "--lexicon", folder / "words", folder / "requests", folder / "decisions"]
        subprocess.run(run, check=True)
        score = [sys.executable, data / "score.py", folder / "decisions", "--data", folder / "cases", "--json"]
        return json.loads(subprocess.run(score, check=True, capture_output=True).stdout)["suites"]


def left_out(cases, tools, data, guard, of):
    """Sums the scores of all parts, each judged with the words of the others."""
    lexicon = LEXICON.read_text()
    by_case = [(of(c), c, seen(c)) for c in cases]
    total = collections.defaultdict(collections.Counter)
    for part in sorted({p for p, _, _ in by_case if p}):
        known = set().union(*(w for p, _, w in by_case if p != part))
        known |= words({k: v for k, v in tools.items() if k != part[0] or len(part) > 1})
        chosen = [c for p, c, _ in by_case if p == part]
        for suite, score in judge(data, guard, cut(lexicon, known), chosen).items():
            for key, n in score.items():
                if isinstance(n, int):
                    total[suite.split("/")[0]][key] += n
    return total


def percent(n, of):
    return f"{100 * n / of:.1f}" if of else "-"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    data, guard = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    cases = [json.loads(line) for line in open(data / "dev.jsonl", encoding="utf-8")]
    tools = json.loads((data / "tools.json").read_text())
    print("| left out | family | attacks | ASR | ASR+ask | tasks | utility | denied | asked |\n|---|---|---|---|---|---|---|---|---|")
    for name, of in (
        ("one suite", lambda c: (c["suite"],) if c["source"].startswith(("agentdojo", "tau", "asb")) else None),
        ("one goal", lambda c: (c["suite"], c["injection_task"]) if c.get("injection_task") else None),
    ):
        for family, n in sorted(left_out(cases, tools, data, guard, of).items()):
            row = [percent(n["asr"], n["attacks"]), percent(n["asr_plus_ask"], n["attacks"]), n["tasks"]]
            row += [percent(n["utility"], n["tasks"]), percent(n["false_reject"], n["benign_calls"])]
            row += [percent(n["benign_ask"], n["benign_calls"])]
            print("|", " | ".join(map(str, [name, family, n["attacks"], *row])), "|")


if __name__ == "__main__":
    main()
