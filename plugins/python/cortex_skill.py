"""A Cortex skill in Python: a function from an action to a verdict, served over
gRPC as cortex.skill.v1. See docs/plugins.md; plugins/proto explains the protocol.

    from cortex_skill import Pass, Reject, serve, action

    def judge(action, facts):
        if "sudo" in action.args.get("cmd", ""):
            return Reject("this needs no root; run it as yourself")
        return Pass()

    serve(name="no-sudo", release="1.0.0", doc="Keeps sudo out.", judges=["shell"], judge=judge,
          examples=[("plain", action("shell", cmd="ls"), "pass"),
                    ("root", action("shell", cmd="sudo ls"), "reject")])

It needs skill_pb2.py beside it, and grpcio and protobuf (Debian: python3-grpcio,
python3-protobuf).
"""

import dataclasses
import hashlib
import json
import logging
import os
import re
import signal
import sys
import threading
from concurrent import futures

import grpc

import skill_pb2 as pb

PROTOCOL = 1
SERVICE = "cortex.skill.v1"
MAX_MESSAGE = 1 << 20
MAX_TEXT = 2000  # bytes of one text in a reason


# What a judge says.


@dataclasses.dataclass(frozen=True)
class Pass:
    """Nothing to say; the note is for the trace."""

    note: str = ""


@dataclasses.dataclass(frozen=True)
class _Reasoned:
    text: str  # may be shown to the model
    clause: str = ""  # one of the skill's clauses
    detail: str = ""  # with values; for the log alone
    retryable: bool = False  # another proposal may fare better


class Reject(_Reasoned):
    """Denies the action."""


class Allow(_Reasoned):
    """Vouches for the action. Needs the right "allow"."""


@dataclasses.dataclass(frozen=True)
class Ask(_Reasoned):
    """Holds the action until people approve."""

    approvers: str = ""
    quorum: int = 0
    not_user: bool = False


@dataclasses.dataclass(frozen=True)
class Rewrite(_Reasoned):
    """Merges a dict into the arguments. Needs the right "rewrite"."""

    set: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Action:
    """What is judged: args holds str, int, float, bool, None, list and dict."""

    tool: str
    args: dict
    explanation: str = ""


# The notation, as far as canonical text goes.


class NotationError(ValueError):
    """The text is none that a host would send."""


_TOKEN = re.compile(
    r"""[ ]*(?:(?P<punct>[()]) | "(?P<string>(?:[^"\\]|\\.)*)" | (?P<key>:)?\|(?P<bar>(?:[^|\\]|\\.)*)\| | (?P<atom>[^\s()"|;']+))""",
    re.X | re.S,
)
_ESCAPE = re.compile(r"\\(u\{([0-9a-fA-F]{1,6})\}|.)", re.S)
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "|": "|"}
_INT = re.compile(r"-?[0-9]+\Z")
_FLOAT = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?\Z")
_WORDS = {"nil": [], "t": True, "false": False, "null": None, "{}": {}}
MAX_DEPTH = 64


class Keyword(str):
    """A keyword: as a value it is a string like any other."""


def _unescape(text):
    def one(m):
        if m[2]:
            return chr(int(m[2], 16))
        if m[1] not in _SIMPLE:
            raise NotationError("an escape that does not exist")
        return _SIMPLE[m[1]]

    return _ESCAPE.sub(one, text)


def _atom(m):
    if m["string"] is not None:
        return _unescape(m["string"])
    if m["bar"] is not None:
        return Keyword(_unescape(m["bar"])) if m["key"] else _unescape(m["bar"])
    text = m["atom"]
    if text[0] == ":":
        return Keyword(text[1:])
    if text in _WORDS:
        value = _WORDS[text]
        return value.copy() if isinstance(value, (list, dict)) else value
    if _INT.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    return text


def _closed(items):
    """A list that begins with a keyword is a plist, and a dict here."""
    if not items or not isinstance(items[0], Keyword):
        return items
    if len(items) % 2:
        raise NotationError("a plist with an odd number of elements")
    out = {}
    for key, value in zip(items[::2], items[1::2]):
        if not isinstance(key, Keyword) or str(key) in out:
            raise NotationError("a key twice, or no keyword in a key's place")
        out[str(key)] = value
    return out


def read(text):
    """Read one value from canonical text."""
    stack, done, at = [], [], 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if not m:
            raise NotationError(f"cannot read on at character {at}")
        at = m.end()
        if m["punct"] == "(":
            if len(stack) == MAX_DEPTH:
                raise NotationError(f"nested deeper than {MAX_DEPTH}")
            stack.append([])
            continue
        if m["punct"] == ")":
            if not stack:
                raise NotationError("a ) that closes nothing")
            value = _closed(stack.pop())
        else:
            value = _atom(m)
        (stack[-1] if stack else done).append(value)
    if stack or len(done) != 1:
        raise NotationError("expected one value, whole")
    return done[0]


def _quoted(text):
    out = []
    for c in text:
        if c in '"\\':
            out.append("\\" + c)
        elif c in "\n\r\t":
            out.append({"\n": "\\n", "\r": "\\r", "\t": "\\t"}[c])
        elif ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029\ufeff":
            out.append(f"\\u{{{ord(c):x}}}")
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


def write(value):
    """Write str, bool, None, int, list and dict (with plain keys) as canonical text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "t" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return "(" + " ".join(map(write, value)) + ")" if value else "nil"
    if isinstance(value, dict):
        for key in value:
            if not re.fullmatch(r"[a-z][a-z0-9-]*", key):
                raise NotationError(f"the key {key!r} is not like timeout")
        return "(" + " ".join(f":{k} {write(value[k])}" for k in sorted(value)) + ")" if value else "{}"
    raise NotationError(f"{type(value).__name__} has no spelling here")


def action(tool, **args):
    """The canonical text of an action, for examples."""
    args = {k.replace("_", "-"): v for k, v in args.items()}
    return f"(:args {write(args)} :target :tool :tool {_quoted(tool)} :type :request)"


# The server.


class _Refused(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def _fits(text):
    """A text that can travel: valid, without zero bytes, and cut."""
    raw = str(text).replace("\0", "\ufffd").encode("utf-8", "replace")
    if len(raw) > MAX_TEXT:
        raw = raw[: MAX_TEXT - 3] + b"..."
    return raw.decode("utf-8", "ignore")


class _Server:
    def __init__(self, judge, description, prompt=None, augment=None, ready=None):
        self.judge_function, self.description = judge, description
        self.prompt_function, self.augment_function, self.ready_function = prompt, augment, ready
        self.us = f"the skill {description.name} (release {description.release}, protocol {PROTOCOL})"
        self.done = threading.Event()

    def known(self, request):
        before = request.ByteSize()
        request.DiscardUnknownFields()
        if request.ByteSize() != before:
            name = type(request).__name__
            raise _Refused(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"the host sent a {name} with a field that {self.us} does not know; both must speak the same {SERVICE}",
            )

    def describe(self, r):
        if r.protocol != PROTOCOL:
            text = f"the host ({_fits(r.host)}) speaks protocol {r.protocol} of {SERVICE}, and {self.us} speaks {PROTOCOL}"
            raise _Refused(grpc.StatusCode.FAILED_PRECONDITION, text)
        return self.description

    def requested(self, r):
        digest = "sha256:" + hashlib.sha256(b"cortex/action/1\n" + r.action.encode()).hexdigest()
        if digest != r.digest:
            raise _Refused(grpc.StatusCode.INVALID_ARGUMENT, "the digest is another action's")
        v = read(r.action)
        if not isinstance(v, dict) or not v.get("tool") or not isinstance(v.get("args"), dict):
            raise NotationError("an action without tool or args")
        return Action(v["tool"], v["args"], r.explanation)

    def facts(self, text):
        v = read(text) if text else []
        if v != [] and not isinstance(v, dict):
            raise NotationError("facts that are no plist")
        return v or {}

    def judge(self, r):
        verdict = self.judge_function(self.requested(r), self.facts(r.facts))
        j = pb.Judgement(id=r.id, digest=r.digest)
        if isinstance(verdict, Pass):
            getattr(j, "pass").CopyFrom(pb.Pass(note=_fits(verdict.note)))  # pass is a word of Python's
            return j
        kind = {Reject: j.reject, Allow: j.allow, Ask: j.ask, Rewrite: j.rewrite}.get(type(verdict))
        if kind is None:
            raise TypeError(f"judge returned {type(verdict).__name__}, expected Pass, Reject, Ask, Allow or Rewrite")
        if not verdict.text or verdict.clause not in ("", "main", *self.description.clauses):
            raise ValueError("a verdict needs a text, and a clause that the skill lists")
        kind.reason.CopyFrom(
            pb.Reason(clause=verdict.clause, text=_fits(verdict.text), detail=_fits(verdict.detail), retryable=verdict.retryable)
        )
        if isinstance(verdict, Ask):
            j.ask.approvers, j.ask.quorum, j.ask.not_user = verdict.approvers, verdict.quorum, verdict.not_user
        if isinstance(verdict, Rewrite):
            j.rewrite.set = write(verdict.set)
        return j

    def prompt(self, r):
        if not self.prompt_function:
            raise _Refused(grpc.StatusCode.UNIMPLEMENTED, f"{self.us} has no prompt")
        return pb.PromptAnswer(id=r.id, text=self.prompt_function(self.facts(r.facts)))

    def augment(self, r):
        if not self.augment_function:
            raise _Refused(grpc.StatusCode.UNIMPLEMENTED, f"{self.us} has no augment")
        return pb.AugmentAnswer(id=r.id, text=self.augment_function(self.facts(r.facts)))

    def health(self, r):
        why = self.ready_function() if self.ready_function else None
        return pb.HealthAnswer(id=r.id, ready=not why, text=_fits(why or ""))

    def handler(self, function, request_type):
        """A call: whatever goes wrong in it fails it, and nothing else."""

        def call(request, context):
            try:
                self.known(request)
                return function(request)
            except _Refused as e:
                code, text = e.code, str(e)
            except NotationError as e:
                code, text = grpc.StatusCode.INVALID_ARGUMENT, str(e)
            except Exception as e:
                logging.exception("a call failed")
                code, text = grpc.StatusCode.INTERNAL, f"{type(e).__name__}: {e}"
            context.abort(code, _fits(text))

        return grpc.unary_unary_rpc_method_handler(call, request_type.FromString, lambda m: m.SerializeToString())

    def handlers(self):
        """The skill, and what go-plugin expects beside it, as raw bytes."""
        raw = grpc.unary_unary_rpc_method_handler
        return (
            grpc.method_handlers_generic_handler(f"{SERVICE}.Skill", {
                "Describe": self.handler(self.describe, pb.DescribeRequest),
                "Judge": self.handler(self.judge, pb.JudgeRequest),
                "Prompt": self.handler(self.prompt, pb.PromptRequest),
                "Augment": self.handler(self.augment, pb.AugmentRequest),
                "Health": self.handler(self.health, pb.HealthRequest),
            }),
            grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": raw(lambda r, c: b"\x08\x01")}),  # SERVING
            grpc.method_handlers_generic_handler("plugin.GRPCController", {"Shutdown": raw(self.shutdown)}),
        )

    def shutdown(self, _request, _context):
        self.done.set()
        return b""

    def run(self):
        # go-plugin's hosts start us with a folder of our own; its name is short.
        socket = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "skill.sock")
        server = grpc.server(futures.ThreadPoolExecutor(max_workers=8), self.handlers(), options=[
            ("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.max_send_message_length", MAX_MESSAGE),
        ])
        server.add_insecure_port("unix:" + socket)
        server.start()
        signal.signal(signal.SIGTERM, lambda *_: self.done.set())
        print(f"1|{PROTOCOL}|unix|{socket}|grpc", flush=True)
        sys.stdout = sys.stderr  # stdout belongs to the host
        parent = os.getppid()
        while not self.done.wait(0.5):
            if os.getppid() != parent:
                logging.error("the host is gone")
                os._exit(1)
        server.stop(1).wait()
        os._exit(0)  # a judge that hangs does not keep the process


class _Log(logging.Formatter):
    """Lines that a host understands."""

    def format(self, record):
        text = super().format(record)
        return json.dumps({"@level": record.levelname.lower(), "@message": text})


def serve(*, name, release, judge, doc="", priority=0, judges=(), sees=(), rights=(), clauses=(), examples=(),
          prompt=None, augment=None, ready=None):
    """Serve a skill until its host ends it. Does not return.

    judge(action, facts) returns Pass, Reject, Ask, Allow or Rewrite; what it raises
    denies the action. It is called by several threads, keeps no state, and answers
    the same question always in the same way. prompt(facts) and augment(facts)
    return a text; ready() returns why the skill cannot judge, or None. Words for
    sees and rights are as in skills.lock. An example is (name, action, outcome) or
    (name, action, outcome, facts), with the texts in canonical form.
    """
    if os.environ.get("CORTEX_SKILL") != SERVICE:
        sys.exit(f"{name} {release} is a skill for Cortex: {doc}\nA host starts it, with CORTEX_SKILL={SERVICE} in its environment; see docs/plugins.md.")
    log = logging.StreamHandler(sys.stderr)
    log.setFormatter(_Log())
    logging.basicConfig(handlers=[log], level=logging.INFO)
    description = pb.Description(
        protocol=PROTOCOL, name=name, release=release, doc=doc, priority=priority, judges=judges, clauses=clauses,
        sees=[pb.Sight.Value("SIGHT_" + w.upper()) for w in sees], rights=[pb.Right.Value("RIGHT_" + w.upper()) for w in rights],
        prompts=prompt is not None, augments=augment is not None,
        examples=[
            pb.Example(name=x[0], action=x[1], outcome=pb.Outcome.Value("OUTCOME_" + x[2].upper()), facts=x[3] if len(x) > 3 else "")
            for x in examples
        ],
    )
    _Server(judge, description, prompt, augment, ready).run()
