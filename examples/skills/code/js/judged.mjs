// For tests: what the skill says of files, each a line of JSON. A file holds a list, in
// JSON: what the user said, what a text said, and the code.

import { readFileSync } from "node:fs";
import { judge } from "./judge.mjs";

for (const file of process.argv.slice(2)) {
  const [said, given, code] = JSON.parse(readFileSync(file, "utf8"));
  const facts = { session: { turns: [{ user: said }, { call: { tool: "read", result: { text: given } } }] } };
  const [kind, why] = Object.entries(judge({ args: { code } }, facts))[0];
  console.log(JSON.stringify([kind === "reject" ? "deny" : kind, why.clause ?? ""]));
}
