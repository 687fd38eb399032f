/**
 * Asks a Cortex daemon before a tool runs. One file, Node 20 or newer, no dependencies.
 *
 *     import { Cortex, Denied } from "./cortex-client.js";
 *
 *     const guard = new Cortex("invoices-7", { host: "my-agent" });
 *     await guard.words("Pay the bill in bill.txt");        // what the person typed
 *     const sendMoney = guard.tool("send_money",
 *       (args: { recipient: string; amount: number }) => bank.transfer(args), { hold: 600 });
 *     await sendMoney({ recipient: "GB29", amount: 98 });   // throws Denied, with reasons for the model
 *
 * A tool runs only after the daemon has allowed these very arguments, or with those that its rules put
 * in their place. Every error before that means no: the function was not called. See docs/api.md.
 */
import * as http from "node:http";
import * as os from "node:os";
import * as path from "node:path";

/** The daemon could not be asked, or its answer is not one. Nothing may be run. */
export class CortexError extends Error {
  override name = "CortexError";
}

/** The daemon answered, and did not do what the request says. */
export class Refused extends CortexError {
  override name = "Refused";
  readonly status: number; // of HTTP
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** The call may not run. Its message is for the model: the reasons, with their keys. */
export class Denied extends Error {
  override name = "Denied";
  readonly ruling: Ruling;
  constructor(ruling: Ruling) {
    super(ruling.reasons.map((r) => `${r.text} (${r.key})`).join("; ") || `${ruling.decision} by ${ruling.key}`);
    this.ruling = ruling;
  }
}

/** The tool has run, and the daemon could not be told. Do not run it again. */
export class Unrecorded extends CortexError {
  override name = "Unrecorded";
  readonly result: unknown; // what the tool returned
  constructor(result: unknown, cause: unknown) {
    super(`the call is over, and its outcome is not on record: ${text(cause)}`);
    this.result = result;
  }
}

export type Args = Record<string, unknown>;

export interface Reason {
  key: string;
  text: string;
  retryable: boolean; // another proposal may be allowed
}

export interface Action {
  tool: string;
  args: Args;
}

/** The decision on a call. Only after "allow" may it run, once, with action.args; then finish must follow. */
export interface Ruling {
  decision: "allow" | "ask" | "deny";
  key: string; // the rule that decided
  reasons: Reason[];
  policy: string;
  record: number;
  action?: Action;
  digest?: string;
  approval?: string; // token of the card that asks people
  rewritten?: boolean; // action differs from what was asked
  intent?: number;
  idempotency_key?: string;
}

/** A tested plan that is called as a tool. The daemon runs it. */
export interface Capability {
  name: string;
  description: string;
  schema: Record<string, unknown>; // of the arguments: JSON Schema
}

/** What a call of a capability came to. */
export interface Called extends Ruling {
  state: "done" | "failed" | "nothing" | "unknown";
  text?: string; // the Result, for the model
  result?: unknown; // run, status and outputs
  error?: string;
}

/** A step of the plan that a card is about. */
export interface Step {
  name: string;
  asks: boolean; // a yes to the card is about this step too
  action?: Action; // exactly what it does; absent where that is known only when it is due
  digest?: string;
  reasons?: Reason[];
  note?: string;
}

/** A question to people. They answer where they are; no request here can. */
export interface Card {
  token: string;
  state: "pending" | "approved" | "denied" | "expired" | "superseded" | "withdrawn" | "consumed";
  digest: string;
  session: string;
  created: string;
  expires: string;
  action?: Action;
  reasons?: Reason[];
  steps?: Step[]; // of a plan, all of them
  by?: string;
  why?: string;
}

export interface CortexEvent {
  record: number;
  kind: string;
  at: string;
  session?: string;
  summary?: string;
}

export interface Heard {
  record: number;
  user?: boolean; // the words count as the user's
}

export interface Outcome {
  intent?: number;
  call?: string; // instead of intent
  state: "done" | "failed" | "nothing" | "unknown"; // nothing: it had no effect
  result?: unknown;
  text?: string; // the result, where it has no JSON
  error?: string;
}

export interface CallOptions {
  explanation?: string; // the model's
  call?: string; // the caller's id of the call
  hold?: number; // seconds to wait for people where rules ask
}

export interface Options {
  host?: string; // the kind of program
  path?: string; // of the daemon's socket for this API
  partial?: boolean; // not every result that the model reads is reported
  timeout?: number; // seconds for an answer, beside hold
}

/** The daemon's socket: beside $CORTEX_SOCKET, else where `cortex serve` puts it. */
export function defaultSocket(): string {
  const env = process.env;
  const state = env["XDG_STATE_HOME"] || path.join(os.homedir(), ".local/state");
  const run = env["XDG_RUNTIME_DIR"] ? path.join(env["XDG_RUNTIME_DIR"], "cortex") : path.join(state, "cortex/run");
  const plain = env["CORTEX_SOCKET"] || path.join(run, "cortex.sock");
  return plain.endsWith(".sock") ? plain.slice(0, -5) + "-api.sock" : plain + "-api";
}

/** One session with the daemon. A session belongs to the process that speaks in it first. */
export class Cortex {
  readonly path: string;
  private readonly session: { id: string; host: string; partial: boolean };
  private readonly timeout: number;

  constructor(session: string, options: Options = {}) {
    this.path = options.path ?? defaultSocket();
    this.timeout = options.timeout ?? 30;
    this.session = { id: session, host: options.host ?? "api", partial: options.partial ?? false };
  }

  /** Has the daemon decide, wait for people where it asks, and open the intent. */
  async judge(tool: string, args: Args, o: CallOptions = {}): Promise<Ruling> {
    const ruling = asRuling(await this.post("judge", { action: { tool, args }, ...o }, o.hold));
    if (ruling.decision === "allow" && (!ruling.intent || !ruling.action?.args)) {
      throw new CortexError("the daemon allows without an intent; nothing may be run on that");
    }
    return ruling;
  }

  /** Has the daemon decide and record it. Nothing may be run on the answer: it has no intent. */
  async decide(tool: string, args: Args, explanation?: string): Promise<Ruling> {
    return asRuling(await this.post("decide", { action: { tool, args }, explanation }));
  }

  /** The capabilities that may be started: tools that the daemon runs. */
  async capabilities(): Promise<Capability[]> {
    const all: Capability[] = [];
    for await (const page of this.pages("/v1/capabilities")) {
      const out = page as { capabilities?: unknown } | null;
      if (!Array.isArray(out?.capabilities)) throw new CortexError("the daemon's answer is not a list of capabilities");
      all.push(...(out.capabilities as Capability[]));
    }
    return all;
  }

  /** Has the daemon judge a capability whole, wait for people where it asks, and run it; or throws Denied. */
  async start(capability: string, args: Args, o: CallOptions = {}): Promise<Called> {
    const out = await this.post("call", { action: { tool: capability, args }, ...o }, o.hold);
    const ruling = asRuling(out);
    if (ruling.decision !== "allow") throw new Denied(ruling);
    return out as unknown as Called;
  }

  /** Says how a call ended. */
  async finish(outcome: Outcome): Promise<void> {
    await this.post("finish", { ...outcome });
  }

  /** Reports what a person typed. A repeat with the same key is the same message. */
  async words(text: string, key?: string): Promise<Heard> {
    return (await this.post("words", { text, key })) as Heard;
  }

  /** Reports a text that the model read besides messages and results. */
  async read(text: string, name?: string): Promise<Heard> {
    return (await this.post("read", { text, name })) as Heard;
  }

  /**
   * Says that the session, or a turn in it, is over. Calls that are open end as unknown: Cortex does not
   * let the same happen again until that is settled. A program that resumes says so first.
   */
  async end(): Promise<void> {
    await this.post("end", {});
  }

  /** Takes back a card of this session. */
  async withdraw(token: string): Promise<void> {
    await this.post("withdraw", { token });
  }

  /** The cards that wait for people. */
  async cards(): Promise<Card[]> {
    const all: Card[] = [];
    for await (const page of this.pages("/v1/cards")) {
      if (!Array.isArray(page)) throw new CortexError("the daemon's answer is not a list of cards");
      all.push(...(page as Card[]));
    }
    return all;
  }

  /** One card; with hold, when people have answered it or that many seconds are over. */
  async card(token: string, hold = 0): Promise<Card> {
    const query = hold ? `?hold=${hold}` : "";
    return (await this.request("GET", `/v1/cards/${encodeURIComponent(token)}${query}`, undefined, hold)) as Card;
  }

  /** What becomes durable, behind the record with the number after; from now on without one. */
  async *events(after?: number): AsyncGenerator<CortexEvent> {
    const response = await this.open("GET", "/v1/events", undefined, 0,
      after === undefined ? {} : { "Last-Event-ID": String(after) });
    if (response.statusCode !== 200) throw refused(response.statusCode ?? 0, await body(response));
    let rest = "";
    try {
      for await (const part of response.setEncoding("utf8")) {
        const lines = (rest + part).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          if (line.startsWith("data: ")) yield JSON.parse(line.slice(6)) as CortexEvent;
        }
      }
    } catch (e) {
      throw new CortexError(`${this.path}: ${text(e)}`);
    } finally {
      response.destroy();
    }
  }

  /** Runs f, once, with the allowed arguments, and reports its result; or throws Denied. */
  async run<A extends object, R>(tool: string, args: A, f: (args: A, ruling: Ruling) => R | Promise<R>,
    o: CallOptions = {}): Promise<R> {
    const ruling = await this.judge(tool, args as Args, o);
    if (ruling.decision !== "allow" || !ruling.action || !ruling.intent) throw new Denied(ruling);
    return this.carry(ruling, () => f(ruling.action!.args as A, ruling));
  }

  /** Runs f under a ruling that allows, and reports how it ended. */
  async carry<R>(ruling: Ruling, f: () => R | Promise<R>): Promise<R> {
    if (ruling.decision !== "allow" || !ruling.intent) throw new Denied(ruling);
    const intent = ruling.intent;
    let result: R;
    try {
      result = await f();
    } catch (e) {
      // Where even this is not heard, the intent stays open, and is in doubt.
      await this.finish({ intent, state: "failed", error: text(e) }).catch(() => {});
      throw e;
    }
    try {
      await this.finish({ intent, state: "done", ...asResult(result) });
    } catch (e) {
      throw new Unrecorded(result, e);
    }
    return result;
  }

  /** Guards a function: what comes back asks before it runs. */
  tool<A extends object, R>(name: string, f: (args: A, ruling: Ruling) => R | Promise<R>,
    o: CallOptions = {}): (args: A, more?: CallOptions) => Promise<R> {
    return (args, more) => this.run(name, args, f, { ...o, ...more });
  }

  private async post(what: string, rest: object, hold = 0): Promise<unknown> {
    return this.request("POST", `/v1/${what}`, { session: this.session, ...rest }, hold);
  }

  private async request(method: string, at: string, sent?: object, hold = 0): Promise<unknown> {
    return (await this.exchange(method, at, sent, hold)).answer;
  }

  /** The pages of a list: the Link header of each leads to the next one. */
  private async *pages(at: string): AsyncGenerator<unknown> {
    for (let next: string | undefined = at; next !== undefined;) {
      const page: { answer: unknown; link: string } = await this.exchange("GET", next);
      yield page.answer;
      next = /^<(\/[^>]*)>; rel="next"$/.exec(page.link)?.[1];
    }
  }

  private async exchange(method: string, at: string, sent?: object, hold = 0): Promise<{ answer: unknown; link: string }> {
    let sentText: string | undefined;
    try {
      sentText = sent && JSON.stringify(sent);
    } catch (e) {
      throw new CortexError(`the request has no JSON: ${text(e)}`);
    }
    const response = await this.open(method, at, sentText, this.timeout + hold);
    const answer = await body(response).catch((e) => {
      throw new CortexError(`${this.path}: ${text(e)}`);
    });
    if (response.statusCode !== 200) throw refused(response.statusCode ?? 0, answer);
    try {
      return { answer: JSON.parse(answer), link: String(response.headers["link"] ?? "") };
    } catch (e) {
      throw new CortexError(`${this.path}: the answer is not JSON: ${text(e)}`);
    }
  }

  private open(method: string, at: string, sent: string | undefined, seconds: number,
    headers: Record<string, string> = {}): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const fail = (e: unknown) => reject(new CortexError(`${this.path}: ${text(e)}`));
      const request = http.request({ socketPath: this.path, method, path: at, agent: false,
        headers: { Host: "cortex", "Content-Type": "application/json", ...headers } }, resolve);
      request.on("error", fail);
      if (seconds > 0) {
        request.setTimeout(seconds * 1000, () => request.destroy(new Error(`no answer in ${seconds} s`)));
      }
      request.end(sent);
    });
  }
}

async function body(response: http.IncomingMessage): Promise<string> {
  let out = "";
  for await (const part of response.setEncoding("utf8")) out += part;
  return out;
}

function refused(status: number, answer: string): Refused {
  let why: unknown;
  try {
    why = (JSON.parse(answer) as { error?: unknown }).error;
  } catch {
    // it says nothing
  }
  return new Refused(status, typeof why === "string" ? why : `the daemon answered ${status}`);
}

function asRuling(raw: unknown): Ruling {
  const ruling = raw as Ruling;
  if (typeof raw !== "object" || raw === null || !Array.isArray(ruling.reasons)
    || !["allow", "ask", "deny"].includes(ruling.decision)) {
    throw new CortexError("the daemon's answer is not a decision, expected allow, ask or deny with reasons");
  }
  return ruling;
}

/** A result as JSON, or as text where it has none. */
function asResult(result: unknown): { result?: unknown; text?: string } {
  if (result === undefined) return {};
  try {
    if (JSON.stringify(result) !== undefined) return { result };
  } catch {
    // a cycle, or a big number
  }
  return { text: String(result) };
}

function text(e: unknown): string {
  return e instanceof Error ? `${e.name}: ${e.message}` : String(e);
}
