import { mkdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { SessionClient } from "../../client/index.ts";
import { connectSession } from "../../client/index.ts";
import { probeSocket } from "../../net/probe.ts";
import { errorOf } from "../../wire/errors.ts";
import type { RetryPolicy } from "../../wire/timing.ts";
import { SWITCHBOARD } from "../messages/user.ts";
import { teamToolNames } from "../tools/team-tool-names.ts";
import type { AgentStart } from "./agent-command.ts";
import { agentArguments } from "./agent-command.ts";
import type { AgentProcess } from "./agent-process.ts";
import { explainExit, findAgentProcess, startAgentProcess } from "./agent-process.ts";
import type { AgentRecord } from "./agent-record.ts";

/** For as long as the caller gives it: one that is still starting would be killed by the next life. */
const eager: RetryPolicy = { tries: Infinity, firstDelayMs: 20, maxDelayMs: 100, factor: 1.5 };
/** A connection that breaks while the process lives is mended at once, or not at all. */
const mending: RetryPolicy = { tries: 5, firstDelayMs: 50, maxDelayMs: 500, factor: 2 };
const TOOLS_POLL_MS = 100;
/** Tries and not time: when our own loop stands still, time passes without anything having been tried. */
const UNCLEAR_TRIES = 10;
const PROBE_AGAIN_MS = 200;

export interface Up {
  readonly session: SessionClient;
  readonly process: AgentProcess | undefined;
}

/**
 * A session for the agent: the one that is still running since a process of the team before this one, or a
 * new one, which goes on with the old conversation if there is one.
 */
export async function bringUp(
  start: AgentStart,
  env: Record<string, string>,
  record: AgentRecord,
  signal: AbortSignal,
): Promise<Up> {
  const { place, cwd } = start;
  const running = (await isServed(place.socket, signal))
    ? findAgentProcess(record.note.process)
    : await startAnew(start, env, cwd, record);
  return { session: await connected(start, record, running, signal), process: running };
}

/**
 * Is a session there? A try that proves nothing is made again, since whoever is not there is killed: it may
 * have failed because we were held up ourselves.
 */
async function isServed(socket: string, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const { state } = await probeSocket(socket);
    // Nobody would end what is started from here on.
    signal.throwIfAborted();
    if (state !== "unclear" || tries === UNCLEAR_TRIES) return state === "alive";
    await delay(PROBE_AGAIN_MS, undefined, { signal });
  }
}

async function startAnew(
  start: AgentStart,
  env: Record<string, string>,
  cwd: string,
  record: AgentRecord,
): Promise<AgentProcess> {
  const { place } = start;
  for (const directory of [place.root, place.state, place.tools]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }
  // One that has lost its socket would keep the session from the next.
  findAgentProcess(record.note.process)?.signal("SIGKILL");
  const agent = startAgentProcess(place, agentArguments(start), cwd, env);
  await record.save({ process: agent.id });
  return agent;
}

async function connected(
  { place }: AgentStart,
  record: AgentRecord,
  running: AgentProcess | undefined,
  signal: AbortSignal,
): Promise<SessionClient> {
  const { since = 0, log_id: logId, epoch } = record.note;
  const giveUp = new AbortController();
  const connecting = connectSession(place.socket, {
    name: SWITCHBOARD,
    since,
    ...(logId !== undefined && { logId }),
    ...(epoch !== undefined && { epoch }),
    firstPolicy: eager,
    policy: mending,
    signal: giveUp.signal,
  });
  const failed = Promise.withResolvers<never>();
  const stop = (): void => failed.reject(signal.reason as Error);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  void running?.exited.then(() => failed.reject(explainExit(place)));
  try {
    return await Promise.race([connecting, failed.promise]);
  } catch (error) {
    giveUp.abort();
    void connecting.then((late) => late.close()).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    failed.promise.catch(() => {});
  }
}

/** Resolves when the session has every tool of the team. */
export async function untilToolsReported(
  session: SessionClient,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const { mcp_servers: servers = [] } = await session.status();
    const team = servers.find(({ name }) => name === "team");
    if (team?.status === "connected" && hasAll(team.tools)) return;
    if (team?.status === "failed") {
      throw errorOf("bridge_startup", `The team's tools did not start: ${team.error ?? "unknown"}`);
    }
    await delay(TOOLS_POLL_MS, undefined, { signal });
  }
}

const hasAll = (tools: readonly string[] = []): boolean =>
  teamToolNames.every((name) => tools.some((tool) => tool === name || tool.endsWith(`__${name}`)));
