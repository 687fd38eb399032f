"""A server that reads standard input as the official SDK for Python does: as text in UTF-8 with universal newlines, a
message a line. It writes down each call of a tool that it reads, and answers it."""

import json
import sys

noted = open(sys.argv[1], "w", encoding="utf-8")
sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline=None)
for line in sys.stdin:
    try:
        message = json.loads(line)
    except ValueError:
        if line.strip():
            print(json.dumps({"line": line}), file=noted, flush=True)
        continue
    for m in message if isinstance(message, list) else [message]:
        if not isinstance(m, dict):
            continue
        method, result = m.get("method"), {}
        if method == "tools/call":
            params = m.get("params") or {}
            print(json.dumps({"tool": params.get("name"), "args": params.get("arguments", {})}), file=noted, flush=True)
            result = {"content": [{"type": "text", "text": "done"}]}
        elif method == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                      "serverInfo": {"name": "reader", "version": "1"}}
        if method and "id" in m:
            print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
