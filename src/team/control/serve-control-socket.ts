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
import { checkClientName } from "../../wire/check-client-name.ts";
import { toJsonRpcError } from "../../wire/error-wire.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { isRecord } from "../../wire/json.ts";
import type { JsonRpcId } from "../../wire/mcp.ts";
import { parseJsonRpcMessage } from "../../wire/mcp.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import { isTeamMethod, parseTeamParams, teamMethods } from "../../wire/team/control-methods.ts";
import type { TeamMethod, TeamParams, TeamStatus } from "../../wire/team/control-methods.ts";
import { methodEffects, readingMethods } from "../../wire/team/method-effects.ts";
import { TEAM_PROTOCOL_VERSION } from "../../wire/protocol-versions.ts";
import { SWITCHBOARD, USER } from "../../wire/team/reserved-senders.ts";
import type { RunningTeam } from "../running-team.ts";
import { controlSocket, observeSocket } from "../state-dir/control-socket-path.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { TimelineLog } from "../timeline/timeline-log.ts";
import { handlers, statusOf } from "./control-method-handlers.ts";
import { serveRequests } from "./serve-requests.ts";

export interface ControlServer {
  readonly path: string;
  /** The socket for observers; undefined when its path would be too long for the system. */
  readonly observePath: string | undefined;
  /** From now on clients are served by this team. */
  serve(team: RunningTeam): void;
  close(): Promise<void>;
}

export interface ControlOptions {
  readonly stateDir: string;
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
export async function openControl(options: ControlOptions): Promise<ControlServer> {
  const { stateDir, version, onDown } = options;
  makeOwnDirectory(stateDir);
  const started = Promise.withResolvers<Served>();
  let count = 0;
  const accept = (readOnly: boolean) => (socket: Socket) => {
    count += 1;
    const lines = channel(socket, jsonLines, { maxQueuedBytes: MAX_QUEUED_BYTES });
    const client: Client = { name: `client-${count}`, isFixed: false, readOnly, version, onDown };
    // A request that comes just as the team ends gets no answer, and does no harm.
    serveClient(lines, started.promise, client).catch(() => lines.close().catch(() => {}));
  };
  const listener = await listenAlone(controlSocket(stateDir), accept(false));
  const observed = await listenForObservers(observeSocket(stateDir), accept(true)).catch(
    async (error: unknown) => {
      await listener.close();
      throw error;
    },
  );
  chmodSync(stateDir, 0o700);
  const observePath = observed?.path;
  return {
    path: listener.path,
    observePath,
    serve: (team) => {
      const log = new TimelineLog(team.teamRecords.timeline);
      started.resolve({ team, log, observePath });
    },
    close: async () => {
      await observed?.close();
      await listener.close();
    },
  };
}

/**
 * If the path of the state directory is so long that only the control socket's path fits, the team has no socket for
 * observers.
 */
async function listenForObservers(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<Listener | undefined> {
  try {
    return await listen({ path, onConnection });
  } catch (error) {
    if (error instanceof ClaudeCodeError && error.code === "socket_path_invalid") return undefined;
    throw error;
  }
}

/** @throws `team_running` when another process has the socket. */
async function listenAlone(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<Listener> {
  try {
    return await listen({ path, onConnection });
  } catch (error) {
    if (!(error instanceof ClaudeCodeError) || error.code !== "socket_in_use") throw error;
    throw errorOf("team_running", `A team is already running here: ${dirname(path)}.`, {
      data: { socket: path },
      cause: error,
    });
  }
}

/** A team that has started, and its timeline for clients. */
interface Served {
  readonly team: RunningTeam;
  readonly log: TimelineLog;
  readonly observePath: string | undefined;
}

interface Client {
  /** The name that the client gave with `hello`; `client-N` until then. */
  name: string;
  /** It may not take another name. */
  isFixed: boolean;
  /** It is on the socket for observers. */
  readonly readOnly: boolean;
  readonly version: string;
  readonly onDown: (by: string) => void;
}

async function serveClient(lines: Lines, started: Promise<Served>, client: Client): Promise<void> {
  const served = await started;
  const { team, log } = served;
  // One answer after the other, at the pace of the client: however much it asks for, its queue stays short.
  let last = Promise.resolve();
  const sendInTurn = (value: unknown, sent?: () => void): Promise<void> =>
    (last = last.then(() => sendWhenRead(lines, value, sent)));
  // First of all, so that what happens while the status is put together comes after `init` and is not left out.
  const position = log.publishedSeq;
  await sendInTurn({
    type: "init",
    protocol: TEAM_PROTOCOL_VERSION,
    version: client.version,
    read_only: client.readOnly,
    ...(await statusWithPlace(served)),
    last_seq: position,
    at: new Date().toISOString(),
  });
  // When its events cannot be read, the client has to connect again and attach after its last event.
  const onFailure = (): void => void lines.close();
  const feed = new Feed({ log, target: lines, position, onReset: () => {}, onFailure });
  const stopEvents = log.subscribe((batch) => feed.take(batch));
  feed.restart(position);
  // A slow client does without the pieces: it gets the whole text later, as an event.
  const stopDeltas = team.onDelta((agent, { turn_id, text }) => {
    lines.trySend(encodeLine({ type: "delta", agent, turn_id, text }));
  });
  try {
    await serveRequests(lines, (line) => answer(line, served, feed, sendInTurn, client));
  } finally {
    feed.stop();
    stopEvents();
    stopDeltas();
  }
  await lines.close();
}

/** The status of the team, with the path of the socket for observers. */
async function statusWithPlace({ team, observePath }: Served): Promise<TeamStatus> {
  const status = await statusOf(team);
  return observePath === undefined ? status : { ...status, observe_socket: observePath };
}

/**
 * Resolves when the operating system has taken the line. A client that has left needs no answer.
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
  served: Served,
  feed: Feed,
  send: (value: unknown, sent?: () => void) => Promise<void>,
  client: Client,
): Promise<void> {
  let id: JsonRpcId | null = null;
  try {
    if (!line.ok) throw line.error;
    id = idIn(line.value);
    const message = parseJsonRpcMessage(line.value);
    if (!message.ok) throw message.error;
    if (!("method" in message.value)) return;
    const request = message.value;
    const result = await perform(request.method, request.params, served, client);
    // After the answer, because the answer says which events follow.
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

/** The id of a request, also of one that is wrong in its other fields: the client waits for an answer with it. */
const idIn = (value: unknown): JsonRpcId | null => {
  const id = isRecord(value) ? value["id"] : undefined;
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as JsonRpcId) : null;
};

async function perform(
  method: string,
  params: unknown,
  served: Served,
  client: Client,
): Promise<unknown> {
  const { team } = served;
  if (!isTeamMethod(method)) {
    const known = Object.keys(teamMethods);
    throw errorOf("method_not_found", `The method ${JSON.stringify(method)} is not known.`, {
      data: { known },
      hint: `Use one of: ${known.join(", ")}.`,
    });
  }
  if (client.readOnly && methodEffects[method] !== "reads") throw onlyReads(method);
  if (method === "down") return { stopping: true };
  if (method === "hello") return takeName(client, read("hello", params), team);
  if (method === "attach") {
    return new Attached(read("attach", params), team.teamRecords.timeline, client.name);
  }
  if (method === "status") return statusWithPlace(served);
  // Each row takes the params of its own method; TypeScript cannot express that for the whole table.
  const handler = handlers[method] as (
    team: RunningTeam,
    params: unknown,
    caller: { name: string },
  ) => Promise<unknown>;
  return handler(team, read(method, params), { name: client.name });
}

const onlyReads = (method: TeamMethod) =>
  errorOf("read_only", `This socket is for observers: ${method} is not served here.`, {
    data: { method, served: [...readingMethods] },
    hint: "Send it to team.sock, the control socket beside this one.",
  });

/** @throws `not_allowed` when an earlier `hello` has fixed the name; `invalid_params` for a name that is taken. */
function takeName(client: Client, { client: name, fixed }: TeamParams<"hello">, team: RunningTeam) {
  if (client.isFixed) {
    throw errorOf(
      "not_allowed",
      `This connection speaks for ${client.name}, and keeps that name.`,
      {
        data: { client: client.name },
        hint: "Leave hello out: the program that opened the connection has said who you are.",
      },
    );
  }
  client.name = checkClientName(name, [USER, SWITCHBOARD, "team", ...team.agents.keys()]);
  client.isFixed = fixed;
  return { client: client.name, fixed };
}

/** The answer to `attach`. */
class Attached {
  readonly log_id: string;
  readonly since: number;
  readonly last_seq: number;
  readonly reset: boolean;
  readonly client: string;

  constructor({ since, log_id }: TeamParams<"attach">, timeline: Timeline, client: string) {
    const isForeign = log_id !== undefined && log_id !== timeline.logId;
    this.log_id = timeline.logId;
    this.reset = isForeign || since > timeline.lastSeq;
    this.since = this.reset ? 0 : since;
    this.last_seq = timeline.lastSeq;
    this.client = client;
  }
}

function read<Method extends TeamMethod>(method: Method, params: unknown) {
  const parsed = parseTeamParams(method, params);
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}
