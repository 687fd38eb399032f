// What an effect is worth: as code_policy.py has it, from the same data.

import path from "node:path";
import data from "../code_policy.json";

export const { words: WORDS, verdicts: VERDICTS } = data;
const CLASSES = data.classes.map(([name, pattern]) => [name, new RegExp(pattern)]);
const PROGRAMS = Object.entries(data.programs).map(([effect, pattern]) => [effect, new RegExp(pattern)]);
const LINES = data.lines.map(([effect, kind, pattern]) => [effect, kind, new RegExp(pattern, "s")]);
export const DESTROYS = new RegExp(data.sql, "i");
export const NAMES = new RegExp(data.names);
export const EXECUTABLE = new RegExp(data.executable, "i");
export const SECRET = new Set(["secrets", "system", "device", "persistence"]);
export const SAFE = new Set(["", "workspace", "public", "work"]);
export const UNKNOWN = "\0"; // stands for what cannot be told in a text
const WRAPPERS = new Set(["sudo", "doas", "env", "nohup", "nice", "time", "exec", "command", "setsid", "timeout", "xargs"]);
const URL_HOST = /^(?:https?|ftp|wss?):\/\/(?:[^/@\s]*@)?([^/:?#\s]+)/i;

export function pathClass(text) {
  let p = text.trim().replace(/^file:\/\//, "");
  if (p.startsWith(UNKNOWN)) { // whatever folder it lies in, a key is a key
    const known = p.includes("/") ? pathClass(p.replace(/^[\0/]+/, "")) : "";
    return known === "secrets" || known === "persistence" ? known : "";
  }
  if (!p || p.includes("\n") || p.length > 1024 || URL_HOST.test(p)) return "";
  if (p.startsWith("/")) p = path.posix.normalize(p);
  else if (p.includes("..")) p = p.replace(/^(?:[^/]+\/)*?(?:\.\.\/)+(?=(?:etc|proc|root|sys|boot|bin|sbin|lib|usr|var|dev)\/)/, "/");
  if (p.length > 1) p = p.replace(/\/$/, "");
  return CLASSES.find(([, pattern]) => pattern.test(p))?.[0] ?? "workspace";
}

export const climbs = (p) => p.split("/").includes("..") && SECRET.has(pathClass(p));

export function host(text) {
  const h = URL_HOST.exec(text)?.[1] ?? "";
  return h.includes(UNKNOWN) ? "" : h.toLowerCase();
}

export const own = (h) => ["localhost", "127.0.0.1", "::1", "0.0.0.0"].includes(h);

// commands are the commands of a line, each a list of words; of a list, the one it is.
function commands(line) {
  if (Array.isArray(line)) return [line];
  const out = [[]];
  for (const m of line.matchAll(/([;|&()\n]+)|([<>]+)|((?:[^\s;|&()<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)|(\S)/gsu)) {
    if (m[4]) return null;
    if (m[1]) out.push([]);
    else if (m[2]) out.push([m[2]]);
    else out.at(-1).push(m[3].replace(/\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gsu, (_, a, b, c) => a ?? b ?? c));
  }
  return out.filter((c) => c.length);
}

// commandEffects are pairs of an effect and a class or kind.
export function commandEffects(line) {
  const found = commands(line);
  const whole = Array.isArray(line) ? line.join(" ") : line;
  const out = LINES.filter(([, , pattern]) => pattern.test(whole)).map(([effect, kind]) => [effect, kind]);
  if (!found) return [...out, ["run", "computed"]];
  for (let words of found) {
    while (words.length && (WRAPPERS.has(words[0]) || /^\w+=/.test(words[0]))) {
      if (/^(?:sudo|doas)$/.test(words[0])) out.push(["accounts", "any"]);
      words = words.slice(1);
      while (words[0]?.startsWith("-")) words = words.slice(1);
    }
    if (words.length) out.push(...command(words));
  }
  return out;
}

function command(words) {
  const program = path.posix.basename(words[0]);
  const rest = words.slice(1).filter((w) => !w.startsWith("-"));
  if (/^>+$/.test(program)) return rest.slice(0, 1).map((w) => ["overwrite", pathClass(w)]);
  const out = [];
  for (const [effect, pattern] of PROGRAMS) {
    if (!pattern.test(program)) continue;
    if (["kill", "accounts", "persistence"].includes(effect)) out.push([effect, "any"]);
    else if (effect === "hidden") {
      const inner = words.includes("-c") ? words[words.indexOf("-c") + 1] : undefined;
      if (inner?.replaceAll(UNKNOWN, "") && program.includes("sh")) out.push(...commandEffects(inner));
      else if (words.includes("-c") || words.includes("-e")) out.push(["run", "computed"]);
    } else if (effect === "send") out.push(["send", "raw"], ...rest.map((w) => ["send", pathClass(w)]));
    else if (effect === "download") {
      for (const w of rest) {
        out.push(["host", host(w)]);
        if (EXECUTABLE.test(w)) out.push(["download", "program"]);
        if (w.startsWith("@")) out.push(["send", pathClass(w.slice(1))]);
      }
    } else {
      for (const w of rest) {
        out.push([effect, pathClass(w.includes("=") ? w.slice(w.indexOf("=") + 1) : w)]);
        if (climbs(w)) out.push(["read", "climb"]);
      }
    }
  }
  return out;
}

// verdict is the worst of some effects: [deny or ask, effect, class, line], or null.
export function verdict(effects) {
  let worst = null;
  for (const [effect, kind, line] of effects) {
    const v = VERDICTS[effect]?.[kind];
    if (v && (!worst || (v === "deny" && worst[0] === "ask"))) worst = [v, effect, kind, line];
  }
  return worst;
}
