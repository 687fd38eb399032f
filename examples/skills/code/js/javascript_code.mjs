// Javascript-code judges JavaScript by its effects, as python_code.py judges Python:
// the same keys, the same classes of paths, the same verdicts.
//
// It judges the tool "javascript", whose argument :code is a program.

import { action, serve } from "../../../../plugins/node/cortex_skill.mjs";
import { judge } from "./judge.mjs";
import { WORDS } from "./policy.mjs";

const code = (code) => action("javascript", { code });
const examples = [
  ["arithmetic", code("console.log(1 + 2)"), "allow"],
  ["a file of the workspace", code("require('fs').writeFileSync('out/a.txt', 'x')"), "allow"],
  ["deleting what the system needs", code("const p = '/etc'; require('node:fs').rmSync(p + '/hosts')"), "reject"],
  ["a key is read", code("import fs from 'fs'; console.log(fs.readFileSync('/home/u/.ssh/id_rsa'))"), "ask"],
  ["what was received is run", code("fetch('http://localhost/x').then(r => r.text()).then(t => eval(t))"), "reject"],
  ["half a program", code("console.log('half"), "reject"],
  ["no code", action("javascript"), "pass"],
];

serve({
  name: "javascript-code", release: "1.0.0", doc: "Judges JavaScript by its effects.", priority: 140, judges: ["javascript"],
  sees: ["turns"], rights: ["allow"], judge, clauses: Object.keys(WORDS), examples,
});
