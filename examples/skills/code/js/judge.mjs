// One program in, one verdict out.

import { DEEPEST, parsed, tooDeep } from "./parse.mjs";
import { Reader } from "./reader.mjs";
import { WORDS, verdict } from "./policy.mjs";
import { Words } from "./words.mjs";

const MAX_CODE = 64 << 10;
export function judge(action, facts) {
  const code = action.args.code;
  if (typeof code !== "string") return { pass: { note: "no code" } }; // the tool's own schema refuses it
  if (code.length > MAX_CODE) return { reject: { text: WORDS["too-long"], clause: "too-long", detail: `${code.length} characters`, retryable: true } };
  let found;
  try {
    if (tooDeep(code)) throw new RangeError(`nested deeper than ${DEEPEST}`);
    found = verdict(new Reader(parsed(code), new Words(facts)).read());
  } catch (e) {
    if (e instanceof RangeError) return { reject: { text: WORDS["too-deep"], clause: "too-deep", detail: e.message, retryable: true } };
    if (!(e instanceof SyntaxError)) throw e;
    return { reject: { text: `${WORDS.syntax}, line ${e.loc?.line ?? 1}`, clause: "syntax", detail: e.message, retryable: true } };
  }
  if (!found) return { allow: { text: "the code keeps to the workspace" } };
  const [kind, effect, what, line] = found;
  const why = { text: WORDS[effect], clause: effect, detail: `${effect} ${what}, line ${line}`, retryable: kind === "deny" };
  return kind === "deny" ? { reject: why } : { ask: why };
}
