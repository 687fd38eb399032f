"""Who named a host: the user, or a text that a tool brought."""

import re


class Words:
    """What was said in a session, as far as the skill was granted it."""

    def __init__(self, facts=None):
        said, given = [], []
        for turn in ((facts or {}).get("session") or {}).get("turns") or []:
            if not isinstance(turn, dict):
                continue
            said.extend(texts(turn.get("user")))
            given.extend(texts(turn.get("source")))
            given.extend(texts(turn.get("attached")))
            call = turn.get("call")
            given.extend(texts(call.get("result")) if isinstance(call, dict) else ())
        self.said, self.given = "\n".join(said).lower(), "\n".join(given).lower()

    def named(self, host):
        """Whether the user named a host."""
        return stands(host, self.said)

    def strange(self, host):
        """Whether a text named a host, and the user did not."""
        return stands(host, self.given) and not self.named(host)


def texts(value):
    """All texts in a value of facts."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from texts(v)
    elif isinstance(value, list):
        for v in value:
            yield from texts(v)


def stands(host, text):
    """Whether a host stands in a text, and is no part of a longer one."""
    return bool(host) and re.search(r"(?<![\w.-])(?:www\.)?" + re.escape(host) + r"(?![\w-]|\.\w)", text) is not None
