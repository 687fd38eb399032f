// A Cortex skill in JavaScript: a function from an action to a verdict, served over
// gRPC as cortex.skill.v1. See docs/plugins.md; plugins/proto explains the protocol.
//
//	serve({ name: "no-eval", release: "1.0.0", judges: ["javascript"], judge, ... })
//
// judge(action, facts) returns { pass: {} }, or one of allow, ask and reject with
// { text, clause, detail, retryable }; what it throws denies the action. It keeps no
// state. The bundler puts the protocol's text into the program.

import { createHash } from "node:crypto";
import path from "node:path";
import * as grpc from "@grpc/grpc-js";
import protobuf from "protobufjs";
import protocolText from "../proto/skill.proto";
import { action, read } from "./notation.mjs";

const SERVICE = "cortex.skill.v1";
const PROTOCOL = 1;
const MAX_MESSAGE = 1 << 20;
const MAX_TEXT = 2000; // bytes of one text in a reason

const types = protobuf.parse(protocolText, { keepCase: true }).root.lookup(SERVICE);

class Refused extends Error {
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

// fits makes a text one that can travel: valid, without zero bytes, and cut.
function fits(text) {
  const raw = Buffer.from(String(text ?? "").toWellFormed().replaceAll("\0", "\ufffd"));
  if (raw.length <= MAX_TEXT) return raw.toString();
  return raw.subarray(0, MAX_TEXT - 3).toString().replace(/\ufffd+$/, "") + "...";
}

// received reads a message, and refuses fields that the protocol does not have.
function received(type, us, bytes) {
  let message;
  try {
    message = type.decode(bytes);
  } catch (e) {
    throw new Refused(grpc.status.INVALID_ARGUMENT, `no ${type.name}: ${e.message}`);
  }
  if (type.encode(message).finish().length !== bytes.length) {
    throw new Refused(grpc.status.INVALID_ARGUMENT,
      `the host sent a ${type.name} with a field that ${us} does not know; both must speak the same ${SERVICE}`);
  }
  return message;
}

function requested(r) {
  const digest = "sha256:" + createHash("sha256").update("cortex/action/1\n" + r.action).digest("hex");
  if (digest !== r.digest) throw new Refused(grpc.status.INVALID_ARGUMENT, "the digest is another action's");
  const v = read(r.action);
  if (!v?.tool || typeof v.args !== "object" || v.args === null || Array.isArray(v.args)) {
    throw new Refused(grpc.status.INVALID_ARGUMENT, "an action without tool or args");
  }
  return { tool: v.tool, args: v.args };
}

function factsOf(text) {
  const v = text ? read(text) : [];
  if (Array.isArray(v)) {
    if (v.length) throw new Refused(grpc.status.INVALID_ARGUMENT, "facts that are no plist");
    return {};
  }
  if (typeof v !== "object" || v === null) throw new Refused(grpc.status.INVALID_ARGUMENT, "facts that are no plist");
  return v;
}

function judgement(skill, r) {
  const verdict = skill.judge(requested(r), factsOf(r.facts));
  const [kind, why] = Object.entries(verdict)[0];
  if (kind === "pass") return { id: r.id, digest: r.digest, pass: { note: fits(why.note) } };
  if (!why.text || ![undefined, "", "main", ...skill.clauses].includes(why.clause)) {
    throw new Error("a verdict needs a text, and a clause that the skill lists");
  }
  const reason = { clause: why.clause ?? "", text: fits(why.text), detail: fits(why.detail), retryable: !!why.retryable };
  return { id: r.id, digest: r.digest, [kind]: { reason } };
}

function describe(skill, us, r) {
  if (r.protocol !== PROTOCOL) {
    throw new Refused(grpc.status.FAILED_PRECONDITION,
      `the host (${fits(r.host)}) speaks protocol ${r.protocol} of ${SERVICE}, and ${us} speaks ${PROTOCOL}`);
  }
  const { Sight, Right, Outcome } = { Sight: types.lookupEnum("Sight"), Right: types.lookupEnum("Right"), Outcome: types.lookupEnum("Outcome") };
  return {
    protocol: PROTOCOL, name: skill.name, release: skill.release, doc: skill.doc, priority: skill.priority, judges: skill.judges,
    clauses: skill.clauses, sees: skill.sees.map((w) => Sight.values["SIGHT_" + w.toUpperCase()]),
    rights: skill.rights.map((w) => Right.values["RIGHT_" + w.toUpperCase()]),
    examples: skill.examples.map(([name, act, want]) => ({ name, action: act, outcome: Outcome.values["OUTCOME_" + want.toUpperCase()] })),
  };
}

// handler is one call: whatever goes wrong in it fails it, and nothing else.
function handler(us, request, answer, f) {
  const [ask, tell] = [types.lookupType(request), types.lookupType(answer)];
  return {
    definition: {
      requestStream: false, responseStream: false,
      requestDeserialize: (bytes) => bytes, responseSerialize: (m) => Buffer.from(tell.encode(tell.create(m)).finish()),
    },
    call: (call, done) => {
      try {
        done(null, f(received(ask, us, call.request)));
      } catch (e) {
        const code = e.code ?? (e.name === "NotationError" ? grpc.status.INVALID_ARGUMENT : grpc.status.INTERNAL);
        done({ code: Number.isInteger(code) ? code : grpc.status.INTERNAL, details: fits(e.message) });
      }
    },
  };
}

function add(server, service, methods) {
  const definition = {}, calls = {};
  for (const [name, m] of Object.entries(methods)) {
    definition[name] = { path: `/${service}/${name}`, ...m.definition };
    calls[name] = m.call;
  }
  server.addService(definition, calls);
}

// plain is a call of go-plugin's, as raw bytes.
function plain(f) {
  return {
    definition: { requestStream: false, responseStream: false, requestDeserialize: (b) => b, responseSerialize: (b) => b },
    call: (_, done) => done(null, f()),
  };
}

export { action };

// serve serves a skill until its host ends it.
export function serve(given) {
  const skill = { doc: "", priority: 0, judges: [], sees: [], rights: [], clauses: [], examples: [], ...given };
  if (process.env.CORTEX_SKILL !== SERVICE) {
    console.error(`${skill.name} ${skill.release} is a skill for Cortex: ${skill.doc}\n` +
      `A host starts it, with CORTEX_SKILL=${SERVICE} in its environment; see docs/plugins.md.`);
    process.exit(1);
  }
  const us = `the skill ${skill.name} (release ${skill.release}, protocol ${PROTOCOL})`;
  const server = new grpc.Server({ "grpc.max_receive_message_length": MAX_MESSAGE, "grpc.max_send_message_length": MAX_MESSAGE });
  const end = () => server.tryShutdown(() => process.exit(0)) ?? setTimeout(() => process.exit(0), 1000).unref();
  add(server, SERVICE + ".Skill", {
    Describe: handler(us, "DescribeRequest", "Description", (r) => describe(skill, us, r)),
    Judge: handler(us, "JudgeRequest", "Judgement", (r) => judgement(skill, r)),
    Health: handler(us, "HealthRequest", "HealthAnswer", (r) => ({ id: r.id, ready: true })),
  });
  add(server, "grpc.health.v1.Health", { Check: plain(() => Buffer.from([8, 1])) }); // SERVING
  add(server, "plugin.GRPCController", { Shutdown: plain(() => (setImmediate(end), Buffer.alloc(0))) });
  process.on("SIGTERM", end);
  const socket = path.join(process.env.PLUGIN_UNIX_SOCKET_DIR, "skill.sock");
  server.bindAsync("unix:" + socket, grpc.ServerCredentials.createInsecure(), (e) => {
    if (e) throw e;
    console.log(`1|${PROTOCOL}|unix|${socket}|grpc`);
  });
  const parent = process.ppid; // whoever started us; without it there is nothing to serve
  setInterval(() => process.ppid !== parent && process.exit(1), 500).unref();
}
