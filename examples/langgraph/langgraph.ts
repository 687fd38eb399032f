/**
 * A LangGraph agent that pays bills behind Cortex. It may be stopped at any moment, also while people are
 * asked, and started again: it goes on where it was, and pays once.
 *
 *     node langgraph.js THREAD "Pay the bill"      needs MODEL_URL, and a daemon: see docs/api.md
 *
 * LangGraph runs a whole node again when it resumes one. So each call is a task of its own (Send), which asks
 * Cortex and does nothing before that: the same call is the same question, people answer it once, and their
 * answer is used up by one payment.
 */
import * as fs from "node:fs";

import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import {
  Annotation, Command, END, MemorySaver, START, Send, StateGraph, interrupt, messagesStateReducer,
} from "@langchain/langgraph";

import { Cortex, Denied } from "./cortex-client.js";

const [thread = "bills", task = ""] = process.argv.slice(2);
const guard = new Cortex(thread, { host: "langgraph" });

/** MemorySaver, written to a file after each step. */
class FileSaver extends MemorySaver {
  private readonly file: string;
  constructor(file: string) {
    super();
    this.file = file;
    if (!fs.existsSync(file)) return;
    const bytes = (_: string, v: unknown) =>
      v && typeof v === "object" && "b64" in v ? new Uint8Array(Buffer.from(String(v.b64), "base64")) : v;
    Object.assign(this, JSON.parse(fs.readFileSync(file, "utf8"), bytes));
  }
  private save(): void {
    const text = JSON.stringify({ storage: this.storage, writes: this.writes },
      (_, v) => (v instanceof Uint8Array ? { b64: Buffer.from(v).toString("base64") } : v));
    fs.writeFileSync(this.file + ".new", text);
    fs.renameSync(this.file + ".new", this.file);
  }
  override async put(...args: Parameters<MemorySaver["put"]>) {
    const out = await super.put(...args);
    this.save();
    return out;
  }
  override async putWrites(...args: Parameters<MemorySaver["putWrites"]>) {
    await super.putWrites(...args);
    this.save();
  }
}

/** The effect: one line in a ledger. */
function sendMoney(args: { recipient: string; amount: number }): string {
  fs.appendFileSync("ledger", `${args.recipient} ${args.amount}\n`);
  if (process.env["CRASH"] === "after the payment") process.kill(process.pid, "SIGKILL");
  return `paid ${args.amount} to ${args.recipient}`;
}

const model = new ChatOpenAI({ model: "scripted", apiKey: "none", maxRetries: 0,
  configuration: { baseURL: process.env["MODEL_URL"] } }).bindTools([{ type: "function", function: {
  name: "send_money", description: "Pays an amount to a recipient.",
  parameters: { type: "object", required: ["recipient", "amount"], additionalProperties: false,
    properties: { recipient: { type: "string" }, amount: { type: "integer" } } } } }]);

const State = Annotation.Root({
  messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
});

type Call = NonNullable<AIMessage["tool_calls"]>[number];

async function act(call: Call): Promise<{ messages: BaseMessage[] }> {
  const said = (content: string) => ({ messages: [new ToolMessage({ content, tool_call_id: call.id ?? "" })] });
  const ruling = await guard.judge(call.name, call.args, { call: call.id ?? "" });
  if (ruling.decision === "ask") interrupt({ card: ruling.approval });
  try {
    return said(await guard.carry(ruling, () => sendMoney(ruling.action?.args as { recipient: string; amount: number })));
  } catch (e) {
    if (e instanceof Denied) return said(`refused: ${e.message}`);
    throw e;
  }
}

const graph = new StateGraph(State)
  .addNode("model", async (state) => ({ messages: [await model.invoke(state.messages)] }))
  .addNode("act", act as (call: unknown) => Promise<{ messages: BaseMessage[] }>)
  .addEdge(START, "model")
  .addConditionalEdges("model", (state) => {
    const calls = (state.messages.at(-1) as AIMessage).tool_calls ?? [];
    return calls.length > 0 ? calls.map((c) => new Send("act", c)) : END;
  }, ["act", END])
  .addEdge("act", "model")
  .compile({ checkpointer: new FileSaver(`${thread}.json`) });

const config = { configurable: { thread_id: thread }, durability: "sync" as const };
await guard.end(); // what an earlier run began and did not report is in doubt, and does not happen again

/** The card that the graph waits for, if it does. */
async function waitsFor(): Promise<string | undefined> {
  const state = await graph.getState(config);
  return state.tasks.flatMap((t) => t.interrupts).map((i) => (i.value as { card: string }).card)[0];
}

let state = await graph.getState(config);
if (state.values.messages === undefined || (state.next.length === 0 && task)) {
  await guard.words(task);
  await graph.invoke({ messages: [new HumanMessage(task)] }, config);
} else if (state.next.length > 0 && (await waitsFor()) === undefined) {
  await graph.invoke(null, config); // it was stopped between two steps, or in one
}
for (let card = await waitsFor(); card; card = await waitsFor()) {
  const answered = await guard.card(card, 3600);
  if (answered.state === "pending") break; // ask again another day
  await graph.invoke(new Command({ resume: answered.state }), config);
}
state = await graph.getState(config);
for (const m of state.values.messages as BaseMessage[]) {
  if (m.text) console.log(`${m.getType()}: ${m.text}`);
}
