import { check } from "../../../wire/check-message.ts";
import { parseSessionMessage } from "../../../wire/session/answers.ts";
import type { SessionEvent } from "../../../wire/session/events.ts";
import { errorOf } from "../../../wire/errors.ts";
import * as z from "zod";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { AgentLog } from "../agent-host.ts";
import { askHost } from "./ask-host.ts";
import type { JoinedHost } from "./hosts.ts";

const ANSWER_MS = 30_000;

const soon = (): AbortSignal => AbortSignal.timeout(ANSWER_MS);

/** The log that the session of an agent wrote last, on the host that has it. */
export async function openRemoteLog(
  { tunnel }: JoinedHost,
  agent: AgentId,
): Promise<AgentLog | undefined> {
  const { log_id: logId } = await askHost(tunnel, { type: "open_log", agent }, soon());
  if (logId === undefined) return undefined;
  return {
    logId,
    async history(before, limit, { whole = false } = {}) {
      const page = await askHost(
        tunnel,
        { type: "history", agent, limit, whole, ...(before !== undefined && { before }) },
        soon(),
      );
      return { events: page.events.map(eventOf), more: page.more };
    },
    async readBlob(blob, offset, limit) {
      const part = await askHost(tunnel, { type: "blob", agent, blob, offset, limit }, soon());
      return { ...part, data: Buffer.from(part.data, "base64") };
    },
  };
}

const NumberedSchema = z.looseObject({ seq: z.int() });

function eventOf(value: unknown): SessionEvent {
  const parsed = parseSessionMessage(value);
  const numbered = check(NumberedSchema, value, "event");
  if (parsed.ok && numbered.ok) return parsed.value as SessionEvent;
  throw errorOf("log_damaged", "The host sent an event that cannot be read.");
}
