/**
 * What a client of the API can do, told line by line. cmd/cortex/clients_test.go plays the people and compares
 * with what the client in Python tells. Called with a folder that holds garbage sockets, it counts what ran.
 */
import * as fs from "node:fs";
import * as path from "node:path";

import { Cortex, CortexError, Denied, Refused } from "./cortex-client.js";

const tell = (...what: unknown[]) => console.log(...what);

async function attempt(f: () => unknown): Promise<void> {
  try {
    tell("ran:", await f());
  } catch (e) {
    if (e instanceof Denied) tell(`denied (${e.ruling.decision}):`, e.message);
    else if (e instanceof Refused) tell("refused:", e.status, e.message);
    else if (e instanceof CortexError) tell("error");
    else tell("failed:", (e as Error).message);
  }
}

async function garbage(folder: string): Promise<void> {
  let ran = 0;
  for (const name of fs.readdirSync(folder).sort()) {
    const guard = new Cortex("s1", { host: "typescript", path: path.join(folder, name), timeout: 1 });
    await attempt(() => guard.run("edit", { path: "a" }, () => ++ran));
  }
  tell("ran", ran);
}

async function everything(): Promise<void> {
  const guard = new Cortex("s1", { host: "test" });
  tell("user's words:", (await guard.words("edit a and push it")).user ? "True" : "False");
  const edit = guard.tool("edit", (a: { path: string }) => ({ edited: a.path }));
  const push = guard.tool("push", (a: { branch: string }) => a.branch, { hold: 60 });
  const breaks = guard.tool("edit", (_: { path: string }): string => {
    throw new RangeError("the disk is full");
  });
  const later = guard.tool("edit", async (a: { path: string }) => {
    await new Promise((done) => setTimeout(done, 1));
    return a.path;
  });
  await attempt(async () => (await edit({ path: "a" })).edited);
  await attempt(async () => (await edit({ path: "x" })).edited);
  await attempt(() => edit({ path: "/etc/passwd" }));
  await attempt(() => edit({ path: 7 as unknown as string }));
  await attempt(() => guard.run("edit", { path: "zero" }, () => 0));
  await attempt(() => later({ path: "b" }));
  await attempt(() => breaks({ path: "c" }));
  await attempt(() => push({ branch: "main" }));
  await attempt(() => push({ branch: "dev" }));
  await attempt(() => guard.run("push", { branch: "late" }, (a) => a.branch));
  const [card] = await guard.cards();
  if (!card) throw new Error("there is no card");
  tell("card:", card.state, card.action?.tool, card.action?.args["branch"]);
  await guard.withdraw(card.token);
  tell("card:", (await guard.card(card.token, 1)).state);
  const ruling = await guard.decide("edit", { path: "a" }, "to see");
  tell("decided:", ruling.decision, ruling.intent ? "False" : "True", ruling.action?.args["path"]);
  tell("read:", (await guard.read("a page", "page")).record > 0 ? "True" : "False");
  await guard.run("edit", { path: "d" }, (a) => a.path, { call: "id 1" });
  await attempt(() => guard.finish({ call: "id 1", state: "done", result: "again" }));
  tell("capabilities:", (await guard.capabilities()).length);
  await attempt(() => guard.start("no.such", {}));
  await guard.end();
  await attempt(() => new Cortex("a\x01b").words("hello"));
  await attempt(() => new Cortex("s1", { path: "/nowhere.sock" }).run("edit", { path: "a" }, (a) => a.path));
  const kinds = new Set<string>();
  for await (const event of guard.events(0)) {
    kinds.add(event.kind);
    if (["signal", "decision", "approval", "intent", "receipt"].every((k) => kinds.has(k))) break;
  }
  tell("events: heard");
}

await (process.argv[2] ? garbage(process.argv[2]) : everything());
