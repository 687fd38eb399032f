"""What bandit finds in a program, where the host has it: facts beside our own effects.

Debian 12's is 1.6.2. On Python 3.11 its checks of constants never speak; code_values has
those. Without bandit, and where it cannot read a program, nothing is found: it can only
hold a program back, so its absence vouches for nothing that our own effects hold back.
"""

import io
import logging
import threading

try:
    from bandit.core import config, manager

    logging.getLogger("bandit").setLevel(logging.CRITICAL)
    _manager = manager.BanditManager(config.BanditConfig(), "file")  # now, since it takes half a second
except ImportError:
    _manager = None

_one_at_a_time = threading.Lock()


def findings(code):
    """Triples of "bandit", the name of a check, and a line, in order."""
    if _manager is None:
        return []
    with _one_at_a_time:
        _manager.results = []
        _manager._parse_file("<code>", io.BytesIO(code.encode("utf-8", "replace")), [])
        return sorted({("bandit", r.test_id, r.lineno) for r in _manager.results}, key=lambda f: (f[2], f[1]))
