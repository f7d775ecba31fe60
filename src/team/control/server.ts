import { chmodSync, mkdirSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import type { Channel } from "../../net/channel.ts";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import type { Listener } from "../../net/listen.ts";
import { listen } from "../../net/listen.ts";
import { toJsonRpcError } from "../../wire/error-wire.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { JsonRpcId } from "../../wire/mcp.ts";
import { parseJsonRpcMessage } from "../../wire/mcp.ts";
import type { Parsed } from "../../wire/payload.ts";
import { isTeamMethod, parseTeamParams, teamMethods } from "../../wire/team-control.ts";
import type { TeamMethod, TeamParams } from "../../wire/team-control.ts";
import { TEAM_PROTOCOL_VERSION } from "../../wire/version.ts";
import type { RunningTeam } from "../running-team.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { handlers, statusOf } from "./commands.ts";
import { Feed } from "./feed.ts";

export interface ControlServer {
  readonly path: string;
  /** From now on clients are served by this team. */
  serve(team: RunningTeam): void;
  close(): Promise<void>;
}

export interface ControlOptions {
  readonly path: string;
  readonly version: string;
  /** A client asked for the end of the team. */
  readonly onDown: (by: string) => void;
}

type Lines = Channel<unknown, Parsed>;

/**
 * Takes the control socket of a state directory. Whoever has it is the team's one process.
 *
 * @throws `team_running` when another process has it.
 */
export async function openControl({
  path,
  version,
  onDown,
}: ControlOptions): Promise<ControlServer> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const started = Promise.withResolvers<RunningTeam>();
  let count = 0;
  let listener: Listener;
  try {
    listener = await listen({
      path,
      onConnection(socket: Socket) {
        count += 1;
        const lines = channel(socket, jsonLines);
        const client = { name: `client-${count}`, version, onDown };
        // One that comes in the moment in which the team ends is left without an answer, and nothing else.
        serveClient(lines, started.promise, client).catch(() => lines.close().catch(() => {}));
      },
    });
  } catch (error) {
    if (error instanceof ClaudeCodeError && error.code === "socket_in_use") {
      throw errorOf("team_running", `A team is already running here: ${dirname(path)}.`, {
        data: { socket: path },
        cause: error,
      });
    }
    throw error;
  }
  chmodSync(dirname(path), 0o700);
  return {
    path: listener.path,
    serve: (team) => started.resolve(team),
    close: () => listener.close(),
  };
}

interface Client {
  /** As it says itself; a number until then. */
  name: string;
  readonly version: string;
  readonly onDown: (by: string) => void;
}

async function serveClient(
  lines: Lines,
  started: Promise<RunningTeam>,
  client: Client,
): Promise<void> {
  const team = await started;
  const send = (value: unknown): Promise<void> => lines.send(value).catch(() => {});
  // First of all: what happens while the status is put together comes after `init`, and is not left out.
  const feed = new Feed(team.office.timeline, send);
  let stopDeltas: (() => void) | undefined;
  try {
    await send({
      type: "init",
      protocol: TEAM_PROTOCOL_VERSION,
      version: client.version,
      ...(await statusOf(team)),
      last_seq: feed.place,
    });
    // What a slow client has no room for was only a foretaste: what was said comes as an event.
    stopDeltas = team.onDelta((agent, { turn_id, text }) => {
      if (lines.queuedBytes > MAX_WAITING_BYTES) return;
      void send({ type: "delta", agent, turn_id, text });
    });
    // Whoever cannot be told any more comes again, and says where it was.
    feed.run().catch(() => void lines.close());
    for await (const line of lines) void answer(line, team, feed, send, client);
  } finally {
    feed.close();
    stopDeltas?.();
  }
  await lines.close();
}

const MAX_WAITING_BYTES = 1024 * 1024;

async function answer(
  line: Parsed,
  team: RunningTeam,
  feed: Feed,
  send: (value: unknown) => Promise<void>,
  client: Client,
): Promise<void> {
  let id: JsonRpcId | null = null;
  try {
    if (!line.ok) throw line.error;
    const message = parseJsonRpcMessage(line.value);
    if (!message.ok) throw message.error;
    if (!("method" in message.value)) return;
    const request = message.value;
    if ("id" in request && request.id !== undefined) id = request.id;
    const result = await perform(request.method, request.params, team, client);
    const sent = id === null ? undefined : send({ jsonrpc: "2.0", id, result });
    // Behind the answer, which says from where on events count.
    if (result instanceof Attached) feed.moveTo(result.since);
    await sent;
    if (request.method === "down") client.onDown(client.name);
  } catch (error) {
    await send({ jsonrpc: "2.0", id, error: toJsonRpcError(error) });
  }
}

async function perform(
  method: string,
  params: unknown,
  team: RunningTeam,
  client: Client,
): Promise<unknown> {
  if (!isTeamMethod(method)) {
    const known = Object.keys(teamMethods);
    throw errorOf("method_not_found", `The method ${JSON.stringify(method)} is not known.`, {
      data: { known },
      hint: `Use one of: ${known.join(", ")}.`,
    });
  }
  if (method === "down") return { stopping: true };
  if (method === "hello") return { client: (client.name = read("hello", params).client) };
  if (method === "attach") return new Attached(read("attach", params), team.office.timeline);
  // The table binds each method to its own params; across the whole table the types cannot say so.
  const handler = handlers[method] as (
    team: RunningTeam,
    params: unknown,
    caller: { name: string },
  ) => Promise<unknown>;
  return handler(team, read(method, params), { name: client.name });
}

/** The answer to `attach`. */
class Attached {
  readonly log_id: string;
  readonly since: number;
  readonly last_seq: number;
  readonly reset: boolean;

  constructor({ since, log_id }: TeamParams<"attach">, timeline: Timeline) {
    const isForeign = log_id !== undefined && log_id !== timeline.logId;
    this.log_id = timeline.logId;
    this.reset = isForeign || since > timeline.lastSeq;
    this.since = this.reset ? 0 : since;
    this.last_seq = timeline.lastSeq;
  }
}

function read<Method extends TeamMethod>(method: Method, params: unknown) {
  const parsed = parseTeamParams(method, params);
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}
