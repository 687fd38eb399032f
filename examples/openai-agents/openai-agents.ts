/**
 * An agent of OpenAI's Agents SDK whose tools ask Cortex before they run. A tool that is refused says why, and
 * the model goes on from there.
 *
 *     node openai-agents.js "Pay the bill"      needs MODEL_URL, and a daemon: see docs/api.md
 */
import * as fs from "node:fs";

import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import { z } from "zod";

import { Cortex, Denied } from "./cortex-client.js";

setTracingDisabled(true);
const guard = new Cortex("bills", { host: "openai-agents" });

const sendMoney = guard.tool("send_money", (args: { recipient: string; amount: number }) => {
  fs.appendFileSync("ledger", `${args.recipient} ${args.amount}\n`);
  return `paid ${args.amount} to ${args.recipient}`;
}, { hold: 600 });

const agent = new Agent({
  name: "Bills", model: "scripted",
  tools: [tool({
    name: "send_money", description: "Pays an amount to a recipient.",
    parameters: z.object({ recipient: z.string(), amount: z.number().int() }),
    execute: (args, _context, details) => sendMoney(args, { call: details?.toolCall?.callId ?? "" }),
    errorFunction: (_context, e) => {
      if (e instanceof Denied) return `refused: ${e.message}`;
      throw e; // a daemon that is away ends the run
    },
  })],
});

const task = process.argv[2] ?? "Pay the bill";
await guard.words(task);
const runner = new Runner({ modelProvider: new OpenAIProvider({
  apiKey: "none", baseURL: process.env["MODEL_URL"] ?? "", useResponses: false }) });
const result = await runner.run(agent, task);
for (const item of result.newItems) {
  if (item.type === "tool_call_output_item") console.log(`tool: ${String(item.output)}`);
}
console.log(`ai: ${result.finalOutput}`);
await guard.end();
