/**
 * A host in its smallest form: one session, and a log on disk that says what was accepted, asked, decided
 * and ended. Tests kill it, start it again on the same log, and see what recovery makes of it.
 *
 * Argument: HostSetting as JSON. Input: HostCommand lines. Output: events as lines.
 */
import { appendFileSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { Engine } from "../../src/engine/engine.ts";
import type { EngineEvent } from "../../src/engine/events.ts";
import type { EngineMessage } from "../../src/engine/to-sdk-message.ts";
import type { PermissionDecision } from "../../src/engine/ask-permission.ts";
import { learnVersion } from "../../src/engine/cli-version.ts";
import type { OpenCall } from "../../src/engine/recovery/open-call.ts";
import type { Unfinished } from "../../src/engine/recovery/plan-recovery.ts";
import { recover } from "../../src/engine/recovery/recover.ts";
import type { JsonValue } from "../../src/wire/json.ts";

export interface HostSetting {
  cwd: string;
  sessionId: string;
  logFile: string;
  env: Record<string, string>;
  /** Another CLI than ours. */
  claudePath?: string;
  appendSystemPrompt?: string;
  systemPrompt?: string;
  /** Calls with these words in their input are refused before anybody is asked. */
  forbid?: string;
}

export type HostCommand =
  | { push: EngineMessage }
  /** `unheard`: it stands in our log, and does not reach the CLI. */
  | { answer: { id: string; allow: boolean; unheard?: boolean } };

export type HostEvent =
  | EngineEvent
  | { type: "cli_started"; pid: number | undefined }
  | { type: "ask"; request_id: string; tool: string }
  | { type: "decided"; request_id: string }
  | {
      type: "plan";
      resume: boolean;
      rerun: boolean;
      push: string[];
      seen: string[];
      parked: boolean;
      superseded: string[];
    };

type Entry =
  | { accepted: EngineMessage }
  | { turn: "started" }
  | { called: OpenCall }
  | { asked: string }
  | { decided: string; allow: boolean }
  | { result: string; output: JsonValue }
  | { superseded: string[] }
  | { ended: string[] };

const setting = JSON.parse(process.argv[2] ?? "") as HostSetting;
const log = openSync(setting.logFile, "a");
const waiting = new Map<string, (decision: PermissionDecision) => void>();

function record(entry: Entry): void {
  writeSync(log, `${JSON.stringify(entry)}\n`);
  fsyncSync(log);
}

/** Synchronous, so that a kill right behind it finds it told. */
const tell = (event: HostEvent): void => void writeSync(1, `${JSON.stringify(event)}\n`);

function fold(): Unfinished {
  const messages = new Map<string, EngineMessage>();
  const calls = new Map<string, OpenCall>();
  let openTurn = false;
  const decide = (id: string, decision: NonNullable<OpenCall["decision"]>) => {
    const call = calls.get(id);
    if (call) call.decision = decision;
  };
  for (const line of readFileSync(setting.logFile, "utf8").split("\n").filter(Boolean)) {
    const entry = JSON.parse(line) as Entry;
    if ("accepted" in entry) messages.set(entry.accepted.id, entry.accepted);
    else if ("turn" in entry) openTurn = true;
    else if ("called" in entry) calls.set(entry.called.request_id, entry.called);
    else if ("asked" in entry) decide(entry.asked, "none");
    else if ("decided" in entry) decide(entry.decided, entry.allow ? "allowed" : "denied");
    else if ("result" in entry) {
      const call = calls.get(entry.result);
      if (call) call.result = entry.output;
    } else if ("superseded" in entry) for (const id of entry.superseded) calls.delete(id);
    else {
      openTurn = false;
      calls.clear();
      for (const id of entry.ended) messages.delete(id);
    }
  }
  return { messages: [...messages.values()], openTurn, calls: [...calls.values()] };
}

/** A turn in which the model is not asked. */
function isQuiet(messages: string[]): boolean {
  const open = fold().messages;
  const asksNothing = (id: string) => open.some((message) => message.id === id && message.quiet);
  return messages.length > 0 && messages.every(asksNothing);
}

const { claudePath, appendSystemPrompt, systemPrompt, forbid } = setting;
const options: Parameters<typeof recover>[0] = {
  cwd: setting.cwd,
  // Also on a CLI that is not listed as proven: these tests are what proves it.
  recovery: "full",
  ...(claudePath !== undefined && { claudePath }),
  ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
  ...(systemPrompt !== undefined && { systemPrompt }),
  ...(forbid !== undefined && {
    veto: ({ input }) => (JSON.stringify(input).includes(forbid) ? "Forbidden." : undefined),
  }),
  env: setting.env,
  settingSources: [],
  decide: ({ request_id, tool }) => {
    record({ asked: request_id });
    const decision = new Promise<PermissionDecision>((resolve) => waiting.set(request_id, resolve));
    tell({ type: "ask", request_id, tool });
    return decision;
  },
  onEvent: (event) => {
    if (event.type === "turn_started" && !isQuiet(event.messages)) record({ turn: "started" });
    if (event.type === "tool_use") {
      const { request_id, tool, input } = event;
      record({ called: { request_id, tool, input } });
    }
    if (event.type === "tool_result") {
      record({ result: event.request_id, output: event.output });
    }
    if (event.type === "turn_ended") record({ ended: event.messages });
    tell(event);
    if (event.type === "closed" && event.error) engine = takeUp();
  },
};

function takeUp(): Engine {
  const unfinished = fold();
  const { engine: taken, plan } = recover(options, setting.sessionId, unfinished);
  const superseded = unfinished.calls
    .filter(
      ({ decision, request_id }) => decision === "none" && request_id !== plan.park?.request_id,
    )
    .map(({ request_id }) => request_id);
  if (superseded.length > 0) record({ superseded });
  // The turn of these had ended; only the record of it was lost.
  if (!plan.rerun && plan.seen.length > 0) record({ ended: plan.seen });
  const { resume, rerun, push, seen, park } = plan;
  tell({
    type: "plan",
    resume,
    rerun,
    push: push.map(({ id }) => id),
    seen,
    parked: park !== undefined,
    superseded,
  });
  tell({ type: "cli_started", pid: taken.pid });
  return taken;
}

function start(): Engine {
  if (readFileSync(setting.logFile, "utf8") !== "") return takeUp();
  const fresh = new Engine({ ...options, sessionId: setting.sessionId });
  tell({ type: "cli_started", pid: fresh.pid });
  return fresh;
}

function obey(command: HostCommand): void {
  if ("push" in command) {
    record({ accepted: command.push });
    engine.push(command.push);
  } else {
    const { id, allow, unheard } = command.answer;
    record({ decided: id, allow });
    tell({ type: "decided", request_id: id });
    if (!unheard) waiting.get(id)?.(allow ? { allow } : { allow, message: "Not now." });
  }
}

if (!existsSync(setting.logFile)) appendFileSync(setting.logFile, "");
await learnVersion(claudePath);
let engine = start();
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) obey(JSON.parse(line) as HostCommand);
});
process.stdin.on("end", () => void engine.close());
