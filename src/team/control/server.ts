import { chmodSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import type { Channel } from "../../net/channel.ts";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import type { Listener } from "../../net/listen.ts";
import { listen } from "../../net/listen.ts";
import { makeOwnDirectory } from "../../net/socket-file/own-directory.ts";
import { Feed } from "../../stream/feed.ts";
import { encodeLine } from "../../wire/lines.ts";
import { checkClientName } from "../../wire/client-name.ts";
import { toJsonRpcError } from "../../wire/error-wire.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { JsonRpcId } from "../../wire/mcp.ts";
import { parseJsonRpcMessage } from "../../wire/mcp.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import { isTeamMethod, parseTeamParams, teamMethods } from "../../wire/team/control.ts";
import type { TeamMethod, TeamParams } from "../../wire/team/control.ts";
import { TEAM_PROTOCOL_VERSION } from "../../wire/version.ts";
import { SWITCHBOARD, USER } from "../../wire/team/senders.ts";
import type { RunningTeam } from "../running-team.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { TimelineLog } from "../timeline/timeline-log.ts";
import { handlers, statusOf } from "./commands.ts";
import { serveRequests } from "./serve-requests.ts";

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
 * Takes the control socket of a state directory. The process that has it is the team's one process.
 *
 * @throws `team_running` when another process has it.
 */
export async function openControl({
  path,
  version,
  onDown,
}: ControlOptions): Promise<ControlServer> {
  makeOwnDirectory(dirname(path));
  const started = Promise.withResolvers<Served>();
  let count = 0;
  let listener: Listener;
  try {
    listener = await listen({
      path,
      onConnection(socket: Socket) {
        count += 1;
        const lines = channel(socket, jsonLines, { maxQueuedBytes: MAX_QUEUED_BYTES });
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
    serve: (team) => started.resolve({ team, log: new TimelineLog(team.books.timeline) }),
    close: () => listener.close(),
  };
}

/** A team that has started, and its timeline for clients. */
interface Served {
  readonly team: RunningTeam;
  readonly log: TimelineLog;
}

interface Client {
  /** As it says itself; a number until then. */
  name: string;
  readonly version: string;
  readonly onDown: (by: string) => void;
}

async function serveClient(lines: Lines, started: Promise<Served>, client: Client): Promise<void> {
  const { team, log } = await started;
  // One answer after the other, at the pace of the client: however much it asks for, its queue stays short.
  let last = Promise.resolve();
  const sendInTurn = (value: unknown, sent?: () => void): Promise<void> =>
    (last = last.then(() => sendWhenRead(lines, value, sent)));
  // First of all: what happens while the status is put together comes after `init`, and is not left out.
  const position = log.publishedSeq;
  await sendInTurn({
    type: "init",
    protocol: TEAM_PROTOCOL_VERSION,
    version: client.version,
    ...(await statusOf(team)),
    last_seq: position,
  });
  // A client whose events cannot be read connects again and says where it was.
  const onFailure = (): void => void lines.close();
  const feed = new Feed({ log, target: lines, position, onReset: () => {}, onFailure });
  const stopEvents = log.subscribe((batch) => feed.take(batch));
  feed.restart(position);
  // A slow client does without the pieces: what was said comes whole as an event.
  const stopDeltas = team.onDelta((agent, { turn_id, text }) => {
    lines.trySend(encodeLine({ type: "delta", agent, turn_id, text }));
  });
  try {
    await serveRequests(lines, (line) => answer(line, team, feed, sendInTurn, client));
  } finally {
    feed.stop();
    stopEvents();
    stopDeltas();
  }
  await lines.close();
}

/**
 * Resolves when the client's system has the line. A client that has left needs no answer.
 *
 * @param sent is called in the moment in which nothing else can come between the line and what follows.
 */
async function sendWhenRead(lines: Lines, value: unknown, sent?: () => void): Promise<void> {
  try {
    const line = encodeLine(value);
    while (!lines.trySend(line)) await lines.drained();
    sent?.();
    await lines.drained();
  } catch {
    // The client has left.
  }
}

/** What waits for a client that does not read; past this it is served from the disk. */
const MAX_QUEUED_BYTES = 1024 * 1024;

async function answer(
  line: Parsed,
  team: RunningTeam,
  feed: Feed,
  send: (value: unknown, sent?: () => void) => Promise<void>,
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
    // Behind the answer, which says from where on events count.
    const move = (): void => {
      if (result instanceof Attached) feed.restart(result.since);
    };
    if (id === null) move();
    else await send({ jsonrpc: "2.0", id, result }, move);
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
  if (method === "hello") {
    const taken = [USER, SWITCHBOARD, "team", ...team.agents.keys()];
    client.name = checkClientName(read("hello", params).client, taken);
    return { client: client.name };
  }
  if (method === "attach") return new Attached(read("attach", params), team.books.timeline);
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
