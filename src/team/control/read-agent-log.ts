import { Buffer } from "node:buffer";
import { errorOf } from "../../wire/errors.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentBlob, AgentHistory } from "../../wire/team/read-results.ts";
import { namesOfAgents } from "../agents/stored-agent-record.ts";
import type { AgentLog } from "../host/agent-host.ts";
import type { ReadSource } from "./read-source.ts";

/** In base64 this is still well below the limit of a line. */
const MAX_PART_BYTES = 4_194_304;

/** A page of the events of an agent's session. @throws `agent_not_found`; `agent_unavailable`; `log_damaged` */
export async function readAgentHistory(
  source: ReadSource,
  agent: AgentId,
  page: { readonly before?: number | undefined; readonly limit: number; readonly whole: boolean },
): Promise<AgentHistory> {
  const log = await openLog(source, agent);
  const { events, more } = await log.history(page.before, page.limit, page);
  return { agent, log_id: log.logId, events, more };
}

/** A payload of an agent's session, or a part of it. @throws as `readAgentHistory`; `blob_not_found` */
export async function readAgentBlob(
  source: ReadSource,
  agent: AgentId,
  part: { readonly blob: string; readonly offset: number; readonly limit?: number | undefined },
): Promise<AgentBlob> {
  const log = await openLog(source, agent);
  const limit = Math.min(part.limit ?? MAX_PART_BYTES, MAX_PART_BYTES);
  const { bytes, offset, data } = await log.readBlob(part.blob, part.offset, limit);
  const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  return { agent, blob: part.blob, bytes, offset, data: base64 };
}

async function openLog({ teamRecords, logs }: ReadSource, agent: AgentId): Promise<AgentLog> {
  const known = await namesOfAgents(teamRecords.bus.records);
  if (!known.includes(agent)) {
    throw errorOf("agent_not_found", `This team has never had an agent ${agent}.`, {
      data: { agent_id: agent, known },
      hint: "'switchboard status' lists the agents of the team.",
    });
  }
  const log = await logs.openLog(agent);
  if (log) return log;
  throw errorOf("agent_unavailable", `${agent} has no log yet.`, {
    data: { agent_id: agent },
    hint: "Wait until its session has started, or look at 'switchboard status'.",
  });
}
