// What calls do to the machine and to those who use it, beside its files and its network:
// its memory, processes, accounts, rights and data, and what names mean.

import { DESTROYS } from "./policy.mjs";
import { marksOf } from "./values.mjs";

const HUGE = 1e9; // bytes, or items: no machine is glad of more

// Machine needs note and paths of the class that extends it.
export class Machine {
  do_chmod(n, values, name, args) {
    this.paths("overwrite", n, values);
    const mode = args[1]?.number ?? Number.parseInt([...(args[1]?.texts ?? [])][0] ?? "0", 8);
    if (mode & 0o6000) this.note("overwrite", "rights", n);
  }

  do_size(n, values, name, args) {
    if (args.some((a) => a.number >= HUGE)) this.note("loops", "exhaust", n);
  }

  do_truncate(n, values, name, args) {
    this.paths("overwrite", n, values);
    this.do_size(n, values, name, args);
  }

  do_show(n, values, name, args) {
    if (args.some((a) => marksOf(a).has("environ"))) this.note("read", "env", n);
  }

  do_query(n, values) {
    if (values.some((v) => [...v.texts].some((t) => DESTROYS.test(t)))) this.note("delete", "data", n);
  }

  do_drop(n) {
    this.note("delete", "data", n);
  }

  do_tamper(n) {
    this.note("tamper", "names", n);
  }

  do_watch(n) {
    this.note("watch", "any", n);
  }

  do_encrypt() {
    this.heard.add("encrypts");
  }

  do_spawn(n) {
    if (this.endless) this.note("loops", "spawn", n);
    else if (this.many) this.note("loops", "many", n);
  }

  do_listen(n) {
    this.note("listen", "any", n);
  }

  do_kill(n) {
    this.note("kill", "any", n);
  }

  do_accounts(n) {
    this.note("accounts", "any", n);
  }

  do_library(n) {
    this.note("run", "library", n);
  }
}
