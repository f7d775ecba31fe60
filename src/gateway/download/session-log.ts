import type { SessionEvent } from "../../wire/session/events.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { AgentIdSchema } from "../../wire/team/messages.ts";
import type { GatewayParts } from "../http/gateway-context.ts";
import { askSession, openLineClient } from "../http/ask-session.ts";
import type { Pass } from "../sign-in/pass.ts";
import { openTeam } from "./ask-team.ts";

/** A part of a payload. */
interface BlobPart {
  readonly blob: string;
  readonly offset?: number;
  readonly limit: number;
}

/** What a session has written: asked of itself while it runs, else of its team, which keeps the log of a sleeping agent. */
export interface SessionLog extends AsyncDisposable {
  readonly lastSeq: number;
  /** Oldest first. */
  events(before: number, limit: number): Promise<readonly SessionEvent[]>;
  /** The size of the whole payload, and the part in base64. */
  blob(part: BlobPart): Promise<{ readonly bytes: number; readonly data: string }>;
}

/** @throws `agent_not_found`; `agent_unavailable` for one that has no log yet; `connection_failed`. */
export async function openSessionLog(
  name: string,
  pass: Pass,
  parts: GatewayParts,
): Promise<SessionLog> {
  try {
    return await logOfSession(name, pass, parts);
  } catch (error) {
    const isAsleep = error instanceof ClaudeCodeError && error.code === "agent_unavailable";
    if (!isAsleep) throw error;
    return logOfSleepingAgent(name, pass, parts);
  }
}

async function logOfSession(name: string, pass: Pass, parts: GatewayParts): Promise<SessionLog> {
  const client = await openLineClient(name, pass, parts);
  return {
    lastSeq: Number(client.first["last_seq"]),
    events: async (before, limit) =>
      (await askSession(client, { type: "history", before, limit }, "history")).events,
    blob: (part) => askSession(client, { type: "get_blob", ...part }, "blob"),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

async function logOfSleepingAgent(
  name: string,
  pass: Pass,
  parts: GatewayParts,
): Promise<SessionLog> {
  const checked = AgentIdSchema.safeParse(name);
  if (!checked.success) throw errorOf("agent_not_found", "There is no such agent.");
  const agent = checked.data;
  const team = await openTeam(pass, parts);
  try {
    const newest = await team.request("agent_history", { agent, limit: 1 });
    return {
      lastSeq: newest.events.at(-1)?.seq ?? 0,
      events: async (before, limit) =>
        (await team.request("agent_history", { agent, before, limit })).events,
      blob: (part) => team.request("agent_blob", { agent, ...part }),
      [Symbol.asyncDispose]: () => team[Symbol.asyncDispose](),
    };
  } catch (error) {
    await team[Symbol.asyncDispose]();
    throw error;
  }
}
