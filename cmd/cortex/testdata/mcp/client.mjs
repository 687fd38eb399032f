// A client that calls the tool probe and writes what it read of each call, one line of JSON each. It is the
// official SDK's, or without that one that reads lines as that does.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const o = JSON.parse(process.argv[2]);
const patience = o.patience ?? 20_000;

async function official() {
  const at = (name) => import(`${o.sdk}/dist/esm/${name}.js`);
  const { Client } = await at("client/index");
  const { ResultSchema } = await at("types");
  let transport;
  if (o.url) {
    const { StreamableHTTPClientTransport } = await at("client/streamableHttp");
    transport = new StreamableHTTPClientTransport(new URL(o.url), {
      requestInit: { headers: { Authorization: `Bearer ${o.token}` } },
    });
  } else {
    const { StdioClientTransport } = await at("client/stdio");
    transport = new StdioClientTransport({ command: o.command[0], args: o.command.slice(1), env: process.env });
  }
  const client = new Client({ name: "judge", version: "1" });
  client.onerror = () => {}; // what it cannot read it drops
  await client.connect(transport);
  return {
    call: (params) => client.request({ method: "tools/call", params }, ResultSchema, { timeout: patience }),
    close: () => client.close(),
  };
}

// plain reads as the SDK does: a line ends with LF, the last of two members counts, and ids are numbers.
async function plain() {
  const server = spawn(o.command[0], o.command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const waits = new Map();
  const id = (v) => typeof v === "string" || Number.isInteger(v);
  let rest = Buffer.alloc(0);
  server.stdout.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end; (end = rest.indexOf("\n")) >= 0; rest = rest.subarray(end + 1)) {
      let m;
      try { m = JSON.parse(rest.toString("utf8", 0, end).replace(/\r$/, "")); } catch { continue; }
      if (m?.jsonrpc !== "2.0" || !id(m.id) || "method" in m) continue;
      const wait = waits.get(Number(m.id));
      if (!wait || !("result" in m) === !("error" in m)) continue;
      waits.delete(Number(m.id));
      if (m.error) wait.no(Object.assign(new Error(`MCP error ${m.error.code}: ${m.error.message}`), m.error));
      else wait.yes(m.result);
    }
  });
  let next = 0;
  const request = (method, params) => new Promise((yes, no) => {
    const mine = next++;
    waits.set(mine, { yes, no });
    setTimeout(() => no(Object.assign(new Error("no answer"), { code: -32001 })), patience).unref();
    server.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: mine, method, params }) + "\n");
  });
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "j", version: "1" } });
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return { call: (params) => request("tools/call", params), close: () => (server.stdin.end(), ended) };
}

const whole = (v) => typeof v === "string" ? !/\p{Surrogate}/u.test(v)
  : v === null || typeof v !== "object" || Object.entries(v).every(([k, w]) => whole(k) && whole(w));

const client = o.sdk ? await official() : await plain();
let n = o.from;
await Promise.all(Array.from({ length: 8 }, async () => {
  while (n < o.to) {
    const mine = n++;
    const said = { n: mine };
    try {
      said.result = await client.call({ name: o.tools[mine % o.tools.length], arguments: { n: mine } });
    } catch (e) {
      said.error = { code: e.code, message: e.message.replace(`MCP error ${e.code}: `, ""), data: e.data };
    }
    said.whole = whole(said);
    console.log(JSON.stringify(said));
  }
}));
await client.close();
process.exit(0);
