"""Asks a Cortex daemon before a tool runs. One file, Python 3.9 or newer, the standard library alone.

    from cortex_client import Cortex, Denied

    guard = Cortex(session="invoices-7", host="my-agent")
    guard.words("Pay the bill in bill.txt")             # what the person typed

    @guard.tool(hold=600)                               # waits ten minutes for people where rules ask
    def send_money(recipient: str, amount: int) -> str:
        return bank.transfer(recipient, amount)

    try:
        send_money(recipient="GB29", amount=98)
    except Denied as no:
        print(no)                                       # reasons that a model may read

A tool runs only after the daemon has allowed these very arguments, or with those that its rules put in
their place. Every error before that means no: the function was not called. See docs/api.md.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import http.client
import inspect
import json
import os
import socket
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

__all__ = ["Action", "Called", "Capability", "Card", "Cortex", "CortexError", "Denied", "Event", "Heard", "Reason",
           "Refused", "Ruling", "Step", "Unrecorded"]


class CortexError(Exception):
    """The daemon could not be asked, or its answer is not one. Nothing may be run."""


class Refused(CortexError):
    """The daemon answered, and did not do what the request says. status is HTTP's."""

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status = status


class Denied(Exception):
    """The call may not run. Its text is for the model: the reasons, with their keys."""

    def __init__(self, ruling: "Ruling"):
        super().__init__(ruling.text())
        self.ruling = ruling
        self.reasons = ruling.reasons


class Unrecorded(CortexError):
    """The tool has run, and the daemon could not be told. Do not run it again. result is what it returned."""

    def __init__(self, result: Any, cause: BaseException):
        super().__init__(f"the call is over, and its outcome is not on record: {cause}")
        self.result = result


@dataclasses.dataclass(frozen=True)
class Reason:
    key: str
    text: str
    retryable: bool  # another proposal may be allowed


@dataclasses.dataclass(frozen=True)
class Action:
    tool: str
    args: Dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Ruling:
    """The decision on a call. Only after "allow" may it run, once, with action.args; then finish must follow."""

    decision: str  # allow, ask, deny
    key: str  # the rule that decided
    reasons: List[Reason]
    policy: str
    record: int
    action: Optional[Action] = None
    digest: str = ""
    approval: str = ""  # token of the card that asks people
    rewritten: bool = False  # action differs from what was asked
    intent: int = 0
    idempotency_key: str = ""

    def text(self) -> str:
        return "; ".join(f"{r.text} ({r.key})" for r in self.reasons) or f"{self.decision} by {self.key}"


@dataclasses.dataclass(frozen=True)
class Capability:
    """A tested plan that is called as a tool. The daemon runs it."""

    name: str
    description: str
    schema: Dict[str, Any]  # of the arguments: JSON Schema


@dataclasses.dataclass(frozen=True)
class Called:
    """What a call of a capability came to."""

    decision: str  # always "allow": anything else is Denied
    record: int
    state: str  # done, failed, nothing, unknown
    text: str = ""  # the Result, for the model
    result: Any = None  # run, status and outputs
    error: str = ""


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of the plan that a card is about."""

    name: str
    asks: bool  # a yes to the card is about this step too
    action: Optional[Action] = None  # exactly what it does; None where that is known only when it is due
    digest: str = ""
    reasons: List[Reason] = dataclasses.field(default_factory=list)
    note: str = ""


@dataclasses.dataclass(frozen=True)
class Card:
    """A question to people. They answer with `cortex approvals`, or where they are; no request here can."""

    token: str
    state: str  # pending, approved, denied, expired, superseded, withdrawn, consumed
    digest: str
    session: str
    created: str
    expires: str
    action: Optional[Action] = None
    reasons: List[Reason] = dataclasses.field(default_factory=list)
    steps: List[Step] = dataclasses.field(default_factory=list)  # of a plan, all of them
    by: str = ""
    why: str = ""


@dataclasses.dataclass(frozen=True)
class Event:
    record: int
    kind: str
    at: str
    session: str = ""
    summary: str = ""


@dataclasses.dataclass(frozen=True)
class Heard:
    record: int
    user: bool  # the words count as the user's


# Left out of a request where they are empty.
_OPTIONAL = ("explanation", "call", "hold", "intent", "error", "key", "name")


class _Unix(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float):
        super().__init__("cortex", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def default_socket() -> str:
    """The daemon's socket for this API: beside $CORTEX_SOCKET, else where `cortex serve` puts it."""
    plain = os.environ.get("CORTEX_SOCKET", "")
    if not plain:
        run, state = os.environ.get("XDG_RUNTIME_DIR", ""), os.environ.get("XDG_STATE_HOME", "")
        state = state or os.path.join(os.path.expanduser("~"), ".local", "state")
        plain = os.path.join(run, "cortex", "cortex.sock") if run else os.path.join(state, "cortex", "run", "cortex.sock")
    return plain[:-5] + "-api.sock" if plain.endswith(".sock") else plain + "-api"


class Cortex:
    """One session with the daemon. A session belongs to the process that speaks in it first.

    host is the kind of program; partial says that not every result that the model reads is reported.
    Threads may share it: each request has a connection of its own.
    """

    def __init__(self, session: str, host: str = "api", *, path: Optional[str] = None, partial: bool = False,
                 timeout: float = 30.0):
        self.path = path or default_socket()
        self.timeout = timeout
        self._session = {"id": session, "host": host, "partial": partial}

    def judge(self, tool: str, args: Dict[str, Any], *, explanation: str = "", call: str = "",
              hold: int = 0) -> Ruling:
        """Have the daemon decide, wait hold seconds for people where it asks, and open the intent."""
        out = self._post("judge", {"action": {"tool": tool, "args": args}, "explanation": explanation, "call": call,
                                   "hold": hold}, wait=hold)
        ruling = _ruling(out)
        if ruling.decision == "allow" and (ruling.intent == 0 or ruling.action is None):
            raise CortexError("the daemon allows without an intent; nothing may be run on that")
        return ruling

    def decide(self, tool: str, args: Dict[str, Any], *, explanation: str = "") -> Ruling:
        """Have the daemon decide and record it. Nothing may be run on the answer: it has no intent."""
        return _ruling(self._post("decide", {"action": {"tool": tool, "args": args}, "explanation": explanation}))

    def capabilities(self) -> List[Capability]:
        """The capabilities that may be started: tools that the daemon runs."""
        pages = list(self._pages("/v1/capabilities"))
        if not all(isinstance(p, dict) and isinstance(p.get("capabilities"), list) for p in pages):
            raise CortexError("the daemon's answer is not a list of capabilities")
        return [_made(Capability, c) for p in pages for c in p["capabilities"]]

    def start(self, capability: str, args: Dict[str, Any], *, explanation: str = "", hold: int = 0) -> Called:
        """Have the daemon judge a capability whole, wait hold seconds for people where it asks, and run it."""
        out = self._post("call", {"action": {"tool": capability, "args": args}, "explanation": explanation,
                                  "hold": hold}, wait=hold)
        ruling = _ruling(out)
        if ruling.decision != "allow":
            raise Denied(ruling)
        return _made(Called, out)

    def finish(self, *, intent: int = 0, call: str = "", state: str = "done", result: Any = None,
               error: str = "") -> None:
        """Say how a call ended: done, failed, nothing (it had no effect) or unknown."""
        body = {"intent": intent, "call": call, "state": state, "error": error}
        if result is not None:
            body.update(_result(result))
        self._post("finish", body)

    def words(self, text: str, *, key: str = "") -> Heard:
        """Report what a person typed. A repeat with the same key is the same message."""
        return _made(Heard, {"user": False, **self._post("words", {"text": text, "key": key})})

    def read(self, text: str, *, name: str = "") -> Heard:
        """Report a text that the model read besides messages and results: a file, a tool's description."""
        return _made(Heard, {"user": False, **self._post("read", {"text": text, "name": name})})

    def end(self) -> None:
        """Say that the session, or a turn in it, is over. Calls that are open end as unknown: Cortex does
        not let the same happen again until that is settled. A program that resumes says so first."""
        self._post("end", {})

    def withdraw(self, token: str) -> None:
        """Take back a card of this session."""
        self._post("withdraw", {"token": token})

    def cards(self) -> List[Card]:
        """The cards that wait for people."""
        pages = list(self._pages("/v1/cards"))
        if not all(isinstance(p, list) for p in pages):
            raise CortexError("the daemon's answer is not a list of cards")
        return [_card(c) for p in pages for c in p]

    def card(self, token: str, *, hold: int = 0) -> Card:
        """One card; with hold, when people have answered it or that many seconds are over."""
        return _card(self._request("GET", f"/v1/cards/{token}" + (f"?hold={hold}" if hold else ""), wait=hold))

    def events(self, after: Optional[int] = None, *, timeout: Optional[float] = None) -> Iterator[Event]:
        """What becomes durable, behind the record with the number after; from now on without one."""
        connection = _Unix(self.path, timeout or 10**6)
        with contextlib.closing(connection):
            headers = {} if after is None else {"Last-Event-ID": str(after)}
            try:
                connection.request("GET", "/v1/events", headers=headers)
                response = connection.getresponse()
                if response.status != 200:
                    raise _refused(response.status, response.read())
                for line in response:
                    if line.startswith(b"data: "):
                        yield _made(Event, json.loads(line[6:]))
            except (OSError, http.client.HTTPException, ValueError) as e:
                raise CortexError(f"{self.path}: {e}") from e

    @contextlib.contextmanager
    def call(self, tool: str, args: Dict[str, Any], *, explanation: str = "", call: str = "",
             hold: int = 0) -> Iterator["Call"]:
        """Guards a block: `with guard.call("send_money", args) as c: c.result = bank.transfer(**c.args)`."""
        ruling = self.judge(tool, args, explanation=explanation, call=call, hold=hold)
        if ruling.decision != "allow" or ruling.action is None:
            raise Denied(ruling)
        c = Call(ruling, dict(ruling.action.args))
        try:
            yield c
        except BaseException as e:
            state = "failed" if isinstance(e, Exception) else "unknown"  # an interrupt says nothing about the effect
            with contextlib.suppress(CortexError):  # then the intent stays open, and is in doubt
                self.finish(intent=ruling.intent, state=state, error=f"{type(e).__name__}: {e}")
            raise
        try:
            self.finish(intent=ruling.intent, result=c.result)
        except CortexError as e:
            raise Unrecorded(c.result, e) from e

    def tool(self, function: Optional[Callable[..., Any]] = None, *, name: str = "", hold: int = 0) -> Any:
        """Decorates a function, sync or async: it runs only when allowed, with the allowed arguments."""
        if function is None:
            return functools.partial(self.tool, name=name, hold=hold)
        of, named = inspect.signature(function), name or function.__name__

        def arguments(args: Any, kwargs: Any) -> Dict[str, Any]:
            bound = of.bind(*args, **kwargs)
            out: Dict[str, Any] = {}
            for key, value in bound.arguments.items():
                kind = of.parameters[key].kind
                if kind is inspect.Parameter.VAR_POSITIONAL or kind is inspect.Parameter.POSITIONAL_ONLY:
                    raise TypeError(f"{named}: a guarded function takes its arguments by name")
                out.update(value if kind is inspect.Parameter.VAR_KEYWORD else {key: value})
            return out

        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def guarded_async(*args: Any, **kwargs: Any) -> Any:
                import asyncio
                guard = self.call(named, arguments(args, kwargs), hold=hold)
                c = await asyncio.to_thread(guard.__enter__)
                try:
                    c.result = await function(**c.args)
                except BaseException as e:
                    guard.__exit__(type(e), e, e.__traceback__)
                    raise
                await asyncio.to_thread(guard.__exit__, None, None, None)
                return c.result
            return guarded_async

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            with self.call(named, arguments(args, kwargs), hold=hold) as c:
                c.result = function(**c.args)
            return c.result
        return guarded

    def _post(self, path: str, body: Dict[str, Any], wait: int = 0) -> Dict[str, Any]:
        body = {key: value for key, value in body.items() if value or key not in _OPTIONAL}
        out = self._request("POST", "/v1/" + path, {"session": self._session, **body}, wait)
        if not isinstance(out, dict):
            raise CortexError("the daemon's answer is not an object")
        return out

    def _request(self, verb: str, path: str, body: Any = None, wait: int = 0) -> Any:
        return self._exchange(verb, path, body, wait)[0]

    def _pages(self, path: str) -> Iterator[Any]:
        """The pages of a list: the Link header of each leads to the next one."""
        while path:
            answer, link = self._exchange("GET", path)
            yield answer
            path = link[1:link.index(">")] if link.startswith("</") and link.endswith('>; rel="next"') else ""

    def _exchange(self, verb: str, path: str, body: Any = None, wait: int = 0) -> Tuple[Any, str]:
        connection = _Unix(self.path, self.timeout + wait)
        try:
            text = None if body is None else json.dumps(body, allow_nan=False)
            connection.request(verb, path, body=text, headers={"Content-Type": "application/json"})
            response = connection.getresponse()
            answer = response.read()
            if response.status != 200:
                raise _refused(response.status, answer)
            return json.loads(answer), response.getheader("Link", "")
        except (OSError, http.client.HTTPException, ValueError, TypeError, RecursionError) as e:
            raise CortexError(f"{self.path}: {e}") from e
        finally:
            connection.close()


@dataclasses.dataclass
class Call:
    """A call that was allowed. Run it with args, and set result."""

    ruling: Ruling
    args: Dict[str, Any]
    result: Any = None


def _refused(status: int, answer: bytes) -> Refused:
    try:
        return Refused(status, str(json.loads(answer)["error"]))
    except (ValueError, KeyError, TypeError):
        return Refused(status, f"the daemon answered {status}")


def _result(result: Any) -> Dict[str, Any]:
    """A result as JSON, or as text where it has none."""
    try:
        json.dumps(result, allow_nan=False)
        return {"result": result}
    except (TypeError, ValueError, RecursionError):
        return {"text": str(result) or repr(result)}


def _made(kind: Any, raw: Any) -> Any:
    """A dataclass of an answer. Keys that it does not know are a newer daemon's."""
    if not isinstance(raw, dict):
        raise CortexError(f"the daemon's answer is not a {kind.__name__}")
    known = {f.name for f in dataclasses.fields(kind)}
    try:
        return kind(**{key: value for key, value in raw.items() if key in known})
    except TypeError as e:
        raise CortexError(f"the daemon's answer is not a {kind.__name__}: {e}") from e


def _with_parts(kind: Any, raw: Any) -> Any:
    out = _made(kind, raw)
    action = None if out.action is None else _made(Action, {"args": {}, **out.action})
    return dataclasses.replace(out, action=action, reasons=[_made(Reason, r) for r in out.reasons])


def _ruling(raw: Any) -> Ruling:
    out = _with_parts(Ruling, raw)
    if out.decision not in ("allow", "ask", "deny"):
        raise CortexError(f"the daemon decided {out.decision!r}, expected allow, ask or deny")
    return out


def _card(raw: Any) -> Card:
    card = _with_parts(Card, raw)
    return dataclasses.replace(card, steps=[_with_parts(Step, s) for s in card.steps])
