import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { BridgeSocket, StreamToolHost } from "../../../bridge/index.ts";
import { openBridgeSocket } from "../../../bridge/index.ts";
import { dial } from "../../../net/connect-with-retries.ts";
import { probeSocket } from "../../../net/probe-socket.ts";
import { makeOwnDirectory } from "../../../net/socket-file/own-directory.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { RetryPolicy } from "../../../wire/timeouts.ts";
import type { AgentSpec, Team } from "../../file/team.ts";
import { policyMark, policyOf } from "../../rules/policy-of-agent.ts";
import type {
  AgentRun,
  HostedAgent,
  RunEnd,
  RunFacts,
  RunMark,
  StopOutcome,
  RunSettings,
} from "../agent-host.ts";
import { agentArguments } from "./agent-arguments-and-environment.ts";
import { writeAgentFiles } from "./write-agent-files.ts";
import type { AgentPaths } from "./agent-paths.ts";
import { clearSocketDirectory, factsOf, removeDeadSockets } from "./agent-paths.ts";
import type { AgentProcess, LocalMark } from "./agent-process.ts";
import {
  endAgentProcess,
  explainExit,
  findAgentProcess,
  killAgentProcess,
  startAgentProcess,
} from "./agent-process.ts";

/**
 * Without a limit of its own: when the wait for a session that is still starting is given up, the next start kills
 * it.
 */
const eager: RetryPolicy = { tries: Infinity, firstDelayMs: 20, maxDelayMs: 100, factor: 1.5 };
const once: RetryPolicy = { ...eager, tries: 1 };
/** A number of tries and not a time: while this process is held up, time passes without a try. */
const UNCLEAR_TRIES = 10;
const PROBE_AGAIN_MS = 200;

export interface LocalAgentOptions {
  readonly team: Team;
  readonly spec: AgentSpec;
  readonly paths: AgentPaths;
  readonly cwd: string;
  readonly trust: boolean;
  readonly env: Record<string, string>;
  readonly mark: RunMark;
  /** The servers beside the team's own, by name. */
  readonly servers: Record<string, object>;
  readonly program: string | undefined;
  readonly isLeased: boolean | undefined;
}

/** An agent as a process of this machine, with Unix sockets. */
export class LocalAgent implements HostedAgent {
  readonly #options: LocalAgentOptions;
  #mark: LocalMark;
  #process: AgentProcess | undefined;
  #bridges: BridgeSocket | undefined;

  constructor(options: LocalAgentOptions) {
    this.#options = options;
    this.#mark = options.mark;
  }

  /** Its sockets are on this machine. */
  readonly outlivesOffice = false;

  get facts(): RunFacts {
    const pid = this.#process?.isAlive() ? this.#process.pid : undefined;
    return { ...(pid !== undefined && { pid }), ...factsOf(this.#options.paths) };
  }

  get logHint(): string {
    return `Its log is ${this.#options.paths.log}.`;
  }

  async offerTools(tools: StreamToolHost): Promise<void> {
    const { team, spec, paths, cwd, servers } = this.#options;
    makeOwnDirectory(paths.tools);
    this.#bridges = await openBridgeSocket({
      name: tools.name,
      schemas: tools.schemas,
      onBridge: (stream) => tools.serve(stream),
      directory: paths.tools,
      // For as long as the agent itself waits for the next process of the team.
      waitForHostMs: Math.ceil(team.timeouts.lingerMs),
    });
    writeAgentFiles(team, spec, paths, cwd, { [tools.name]: this.#bridges.config, ...servers });
  }

  /** This machine is always there. */
  async untilStartable(): Promise<void> {}

  async moveTo(host: string): Promise<never> {
    const { id } = this.#options.spec;
    throw errorOf("not_allowed", `${id} runs on the machine of the team.`, {
      data: { agent_id: id, host },
      hint: `Give it 'host: ${host}' in the team file, then start the team again. It begins a new conversation there.`,
    });
  }

  async start(
    resume: string | undefined,
    signal: AbortSignal,
    settings: RunSettings = {},
  ): Promise<AgentRun> {
    const { paths } = this.#options;
    const isThere = await isServed(paths.socket, signal);
    // A session keeps the policy that it was started with: under another one it is started again.
    const isCurrent = (this.#mark.policy ?? "") === this.#policyMark;
    if (isThere && isCurrent) this.#process = findAgentProcess(this.#mark, paths);
    else this.#startAnew(resume, settings);
    return { mark: this.#mark, gone: endOf(this.#process, paths), openSession: dialled(paths) };
  }

  async stop(askedMs: number, cut = false): Promise<StopOutcome> {
    const { paths } = this.#options;
    const running = this.#process?.isAlive() ? this.#process : findAgentProcess(this.#mark, paths);
    const wasKilled =
      running && (await (cut ? killAgentProcess(running) : endAgentProcess(running, askedMs)));
    await removeDeadSockets(paths);
    if (wasKilled === undefined) return "not_seen";
    return wasKilled ? "killed" : "ended";
  }

  /**
   * Takes no more bridges. The agent itself lives on.
   *
   * @param clear no run lives on: removes what bridges of such a run would read.
   */
  async close({ clear }: { clear: boolean }): Promise<void> {
    await this.#bridges?.close();
    if (clear) clearSocketDirectory(this.#options.paths);
  }

  get #policyMark(): string {
    const { team, spec, cwd } = this.#options;
    return policyMark(policyOf(team.policy, spec.id, cwd));
  }

  #startAnew(resume: string | undefined, settings: RunSettings): void {
    const { paths, cwd, env } = this.#options;
    for (const directory of [paths.root, paths.state, paths.tools]) makeOwnDirectory(directory);
    // One that has lost its socket would keep the session from the next.
    findAgentProcess(this.#mark, paths)?.signal("SIGKILL");
    const args = agentArguments({ ...this.#options, settings, resume });
    this.#process = startAgentProcess(paths, args, cwd, env);
    this.#mark = { process: this.#process.id, policy: this.#policyMark };
  }
}

/**
 * Whether a session is there. A probe that proves nothing is repeated, because an agent without a session is killed:
 * the probe may have failed because this process itself was held up.
 */
async function isServed(socket: string, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const { state } = await probeSocket(socket);
    // The caller has given up: nothing would end what is started from here on.
    signal.throwIfAborted();
    if (state !== "unclear" || tries === UNCLEAR_TRIES) return state === "alive";
    await delay(PROBE_AGAIN_MS, undefined, { signal });
  }
}

async function endOf(process: AgentProcess | undefined, paths: AgentPaths): Promise<RunEnd> {
  if (!process) return Promise.withResolvers<never>().promise;
  const killed = await process.exited;
  return { why: explainExit(paths), killed };
}

function dialled({ socket }: AgentPaths): (signal: AbortSignal) => Promise<Duplex> {
  let isFirst = true;
  return async (signal) => {
    const stream = await dial(socket, { policy: isFirst ? eager : once, signal });
    isFirst = false;
    return stream;
  };
}
