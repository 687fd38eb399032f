#!/usr/bin/env bash
# The judge has to catch the reader of commit b0855d1 by each of its six root
# causes. This builds it with that reader, in a work tree of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
old=b0855d1
if ! git cat-file -e "$old^{commit}" 2>/dev/null; then
  echo "SKIPPED: this clone has no commit $old, so the judge was not held against its reader; run: git fetch --unshallow"
  [ -z "${CORTEX_JUDGES_REQUIRED:-}" ]
  exit
fi
place=$(mktemp -d)
trap 'git worktree remove --force "$place/old" >/dev/null 2>&1 || true; rm -rf "$place"' EXIT
git worktree add --detach --quiet "$place/old" "$old"
cp -R internal/shelljudge internal/crashtest internal/oracle "$place/old/internal/"
cd "$place/old"
sed -i 's/skills\.NewCase(a, tool, r\.facts)/\&skills.Case{Action: a, Tool: tool, Facts: r.facts}/' internal/shelljudge/reader.go # as it was then
CORTEX_SHELL_CONTROLS=1 "${GO:-go}" test -count=1 -timeout 60m -v -run '^TestControlOldReader$' ./internal/shelljudge
