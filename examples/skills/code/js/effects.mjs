// What calls do: a do_ method for each kind of call notes effects, each
// [effect, class or kind, line].

import { CALLS, HARMLESS, METHODS } from "./calls.mjs";
import { Machine } from "./machine.mjs";
import { EXECUTABLE, UNKNOWN, climbs, commandEffects, host, own, pathClass } from "./policy.mjs";
import { NOTHING, marksOf } from "./values.mjs";

const METADATA = new Set(["169.254.169.254", "metadata.google.internal", "[fd00"]);
// Calls whose text is a program, and no name of a module.
const PROGRAM = /^(?:eval|Function|vm\.\w+|setTimeoutText)$/;

export class Effects extends Machine {
  constructor(words, depth = 0) {
    super();
    this.words = words;
    this.inside = depth; // in how many other programs this one stands
    this.programs = new Map(); // texts that are run as programs, and their effects
    this.many = 0;
    this.saved = new Set(); // the names of what was fetched
    this.effects = new Map();
    this.heard = new Set();
    this.endless = 0;
  }

  note(effect, kind, n) {
    const line = n.loc?.start.line ?? 1;
    if (kind) this.effects.set(`${effect} ${kind} ${line}`, [effect, kind, line]);
  }

  effect(n, name, receiver, args) {
    const last = name.split(".").at(-1);
    const [effect, where] = CALLS.get(name) ?? (name.startsWith("function ") ? [] : [METHODS.get(last), [0]]);
    if (!["run", "text"].includes(effect) && !HARMLESS.test(name)) this.touched(n, args);
    if (effect) this[`do_${effect}`](n, where.map((i) => args[i]).filter(Boolean), name, args);
  }

  // touched notes protected files that a call is given, whatever it does.
  touched(n, values) {
    for (const v of values) for (const t of v.texts) if (/^[/~][^\s\0]*$/.test(t)) this.note("touch", pathClass(t), n);
  }

  paths(effect, n, values) {
    for (const v of values) {
      for (const t of v.texts) {
        this.note(effect, pathClass(t), n);
        if (climbs(t)) this.note("read", "climb", n);
      }
      if (effect === "delete" && v.names.has("__filename")) this.note("delete", "itself", n);
    }
  }

  do_delete(n, values) {
    this.paths("delete", n, values);
  }

  do_overwrite(n, values, name, args) {
    this.heard.add("wrote");
    this.paths("overwrite", n, values);
    const fetched = args.some((a) => marksOf(a).has("received"));
    if (fetched) {
      this.paths("download", n, values);
      for (const v of values) for (const t of v.texts) this.saved.add(t).add("./" + t);
      for (const v of values) for (const t of v.texts) if (EXECUTABLE.test(t)) this.note("download", "program", n);
    }
  }

  do_read(n, values, name) {
    this.heard.add(/readdir|opendir/.test(name) ? "walks" : "reads");
    this.paths("read", n, values);
  }

  do_open(n, values) {
    const writes = [...(values[1]?.texts ?? [])].some((m) => /[wax+]/.test(m));
    this.paths(writes ? "overwrite" : "read", n, values.slice(0, 1));
  }

  do_copy(n, values) {
    this.paths("copy", n, values.slice(0, 1));
    this.paths("overwrite", n, values.slice(1));
  }

  do_move(n, values) {
    this.do_copy(n, values);
    this.paths("delete", n, values.slice(0, 1));
  }

  do_run(n, values, name) {
    const marks = new Set(values.flatMap((v) => [...marksOf(v)]));
    for (const m of ["received", "decoded"]) if (marks.has(m)) this.note("run", m, n);
    if (marks.has("env") && /exec(?:Command)?$|command$/.test(name)) this.note("run", "input", n);
    const first = values[0]?.texts.size ? [...values[0].texts].sort() : [UNKNOWN];
    const rest = values[1]?.items?.map((i) => [...i.texts].sort()[0] ?? UNKNOWN);
    for (const t of first) {
      for (const [effect, kind] of commandEffects(rest ? [t, ...rest] : t)) {
        if (effect === "host") this.asked(n, kind);
        else this.note(effect, kind, n);
      }
    }
    if (first[0] === UNKNOWN) this.note("run", "computed", n);
    if (first.some((t) => this.saved.has(t)) || (values[1]?.items ?? []).slice(0, 1).some((i) => [...i.texts].some((t) => this.saved.has(t)))) this.note("run", "downloaded", n);
    if (values.some((v) => v.names.has("__filename") || v.items?.some((i) => i.names.has("__filename")))) this.note("loops", "many", n);
    this.do_spawn(n);
  }

  do_text(n, values, name) {
    if (PROGRAM.test(name)) for (const t of values[0]?.texts ?? []) this.inner(t, n);
    for (const v of values) {
      for (const m of ["received", "decoded"]) if (v.marks.has(m)) this.note("run", m, n);
      if (!v.texts.size || [...v.texts].some((t) => t.includes(UNKNOWN))) this.note("run", "computed", n);
    }
  }

  do_send(n, values) {
    for (const v of values) {
      const marks = marksOf(v);
      for (const m of ["secrets", "system", "env", "large", "persistence", "shared", "inhome", "outside"]) if (marks.has(m)) this.note("send", m, n);
      if (marks.has("device")) this.note("send", "system", n);
      for (const t of v.texts) {
        const h = host(t);
        if (h && !own(h) && !this.words.named(h)) this.note("send", "foreign", n);
      }
    }
    if (this.endless || this.many) this.note("send", "loops", n);
  }

  // asked notes a host that is asked for something.
  asked(n, h) {
    this.note("fetch", this.words.strange(h) ? "strange" : "", n);
    if (METADATA.has(h)) this.note("read", "secrets", n);
    if (this.endless || this.many) this.note("send", "loops", n);
  }

  do_fetch(n, values) {
    const sends = values[1] && (values[1].fields?.body || values[1].fields?.data);
    for (const t of values[0]?.texts ?? []) {
      const h = host(t);
      this.asked(n, h);
      if (h && EXECUTABLE.test(t.split("?")[0]) && !this.words.named(h)) this.note("download", "program", n);
    }
    if (sends || [...marksOf(values[0] ?? NOTHING)].some((m) => !["received", "decoded"].includes(m))) this.do_send(n, values);
  }

  do_raw(n, values) {
    this.note("send", "raw", n);
    this.do_send(n, values);
  }

  do_lookup(n, values) {
    if (values.some((v) => [...v.texts].some((t) => t.includes(UNKNOWN + ".")))) this.note("send", "name", n);
  }

  do_away(n, values) {
    this.note("send", "away", n);
    this.do_send(n, values);
  }

  do_dial(n) {
    this.note("send", "raw", n);
  }

  do_mail(n, values) {
    this.note("send", "mail", n);
    this.do_send(n, values);
  }
}
