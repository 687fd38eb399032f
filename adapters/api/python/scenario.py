"""What a client of the API can do, told line by line. cmd/cortex/clients_test.go plays the people and compares
with what the client in TypeScript tells. Called with a folder that holds garbage sockets, it counts what ran."""

import asyncio
import os
import sys

from cortex_client import Cortex, CortexError, Denied, Refused


def tell(*what):
    print(*what, flush=True)


def attempt(f, *args, **kwargs):
    try:
        tell("ran:", f(*args, **kwargs))
    except Denied as e:
        tell(f"denied ({e.ruling.decision}):", e)
    except Refused as e:
        tell("refused:", e.status, e)
    except CortexError:
        tell("error")
    except RuntimeError as e:
        tell("failed:", e)


def garbage(folder):
    ran = []
    for name in sorted(os.listdir(folder)):
        guard = Cortex("s1", host="python", path=os.path.join(folder, name), timeout=1)
        attempt(guard.tool(lambda path: ran.append(path), name="edit"), path="a")
    tell("ran", len(ran))


def everything():
    guard = Cortex("s1", host="test")
    tell("user's words:", guard.words("edit a and push it").user)

    @guard.tool
    def edit(path):
        return {"edited": path}

    @guard.tool(hold=60)
    def push(branch):
        return branch

    @guard.tool(name="edit")
    def breaks(path):
        raise RuntimeError("the disk is full")

    @guard.tool(name="edit")
    async def later(path):
        await asyncio.sleep(0)
        return {"later": path}["later"]

    attempt(lambda path: edit(path=path)["edited"], "a")
    attempt(lambda path: edit(path=path)["edited"], "x")
    attempt(edit, path="/etc/passwd")
    attempt(edit, path=7)
    attempt(guard.tool(lambda path: 0, name="edit"), path="zero")
    attempt(lambda: asyncio.run(later(path="b")))
    attempt(breaks, path="c")
    attempt(push, branch="main")
    attempt(push, branch="dev")
    attempt(guard.tool(lambda branch: branch, name="push"), branch="late")
    card, = guard.cards()
    tell("card:", card.state, card.action.tool, card.action.args["branch"])
    guard.withdraw(card.token)
    tell("card:", guard.card(card.token, hold=1).state)
    ruling = guard.decide("edit", {"path": "a"}, explanation="to see")
    tell("decided:", ruling.decision, ruling.intent == 0, ruling.action.args["path"])
    tell("read:", guard.read("a page", name="page").record > 0)
    with guard.call("edit", {"path": "d"}, call="id 1") as c:
        c.result = c.args["path"]
    attempt(guard.finish, call="id 1", result="again")
    tell("capabilities:", len(guard.capabilities()))
    attempt(guard.start, "no.such", {})
    guard.end()
    attempt(Cortex("a\x01b").words, "hello")
    attempt(Cortex("s1", path="/nowhere.sock").tool(lambda path: path, name="edit"), path="a")
    kinds = set()
    for event in guard.events(after=0):
        kinds.add(event.kind)
        if {"signal", "decision", "approval", "intent", "receipt"} <= kinds:
            break
    tell("events: heard")


if len(sys.argv) > 1:
    garbage(sys.argv[1])
else:
    everything()
