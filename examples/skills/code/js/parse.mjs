// From a text to a tree.

import { parse } from "acorn";

export const DEEPEST = 400; // brackets within brackets; far deeper ones end Node

// tooDeep tells whether brackets stand deep within each other, those in texts counted.
export function tooDeep(code) {
  let depth = 0;
  for (const c of code) {
    if ("([{".includes(c) && ++depth > DEEPEST) return true;
    if (")]}".includes(c)) depth = Math.max(0, depth - 1);
  }
  return false;
}

// parsed is the tree of a program: a module, or else a script, as Node would take it.
export function parsed(code) {
  const options = { ecmaVersion: "latest", locations: true, allowHashBang: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true };
  try {
    return parse(code, { ...options, sourceType: "module" });
  } catch (e) {
    if (!(e instanceof SyntaxError)) throw e;
    return parse(code, { ...options, sourceType: "script" });
  }
}
