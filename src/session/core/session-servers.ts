import { isDeepStrictEqual } from "node:util";
import type { Engine, McpServerConfig } from "../../engine/index.ts";
import { describeFileError } from "../../files/describe-file-error.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { McpServerConfigs, McpServerOutcome } from "../../wire/session/mcp-servers.ts";
import { SetServersFile } from "../files/set-servers-file.ts";
import type { CliSupervisor } from "./cli-supervisor.ts";
import type { Recorder } from "./event-recorder.ts";
import { serverNameForModel } from "./server-name-for-model.ts";
import type { SessionOptions } from "./session-types.ts";

type Servers = Record<string, McpServerConfig>;

/**
 * The session's MCP servers beside those of the settings: the ones that it was started with, and the ones that clients
 * have set since. Every later CLI gets both.
 */
export class SessionServers {
  readonly #given: Servers;
  readonly #set: SetServersFile;
  readonly #recorder: Recorder;
  readonly #life: Pick<CliSupervisor, "whenReady" | "engine">;
  /** The CLIs that know which of their servers were set. */
  readonly #told = new WeakSet<Engine>();
  /** The servers of this process with the tools that clients offer. */
  #offered: Servers = {};
  /** One change at a time: the last one counts. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(
    { mcpServers = {}, privateDir }: Pick<SessionOptions, "mcpServers" | "privateDir">,
    recorder: Recorder,
    life: Pick<CliSupervisor, "whenReady" | "engine">,
  ) {
    this.#given = mcpServers;
    this.#set = new SetServersFile(privateDir);
    this.#recorder = recorder;
    this.#life = life;
  }

  /** What a CLI is started with. */
  get all(): Servers {
    return { ...this.#given, ...inSdkForm(this.#set.servers), ...this.#offered };
  }

  /** The names of all but those with offered tools. */
  get ownNames(): string[] {
    return Object.keys({ ...this.#given, ...this.#set.servers });
  }

  /** The program that runs a server of this session. */
  programOf(name: string): string | undefined {
    const server = this.all[name];
    return server && "command" in server ? server.command : undefined;
  }

  /**
   * Puts these servers in the place of those that were set before.
   *
   * @throws `disk_full` when they cannot be stored; `cli_exited` when the CLI ends meanwhile: the next one gets them.
   */
  set(servers: McpServerConfigs, by: string | undefined): Promise<McpServerOutcome[]> {
    const done = this.#changing.then(() => this.#replace(servers, by));
    this.#changing = done.catch(() => {});
    return done;
  }

  /**
   * Puts these servers, of this process, in the place of those that were offered before. Resolves when the CLI has them.
   *
   * @throws `name_in_use` when a server of that name was set meanwhile; `execution_failed` when the CLI does not take one
   * of them; `cli_exited` when it ends meanwhile: the next one gets them.
   */
  async offer(servers: Servers): Promise<void> {
    const name = this.ownNames.find((each) => Object.hasOwn(servers, serverNameForModel(each)));
    if (name !== undefined) throw nameInUse(`A client has set the MCP server ${name}`, name);
    this.#offered = servers;
    const done = this.#changing.then(() => this.#giveOffered(servers));
    this.#changing = done.catch(() => {});
    await done;
  }

  async #giveOffered(servers: Servers): Promise<void> {
    const { errors } = await this.#give(await this.#life.whenReady(), this.all);
    const refusal = Object.entries(errors).find(([name]) => Object.hasOwn(servers, name));
    if (refusal) throw refused(...refusal);
  }

  async #replace(servers: McpServerConfigs, by: string | undefined): Promise<McpServerOutcome[]> {
    this.#checkNames(servers);
    const engine = await this.#life.whenReady();
    // A client may have offered tools meanwhile.
    this.#checkNames(servers);
    const before = this.#set.servers;
    const known = this.all;
    // First of all: whatever happens to this CLI, the next one gets them.
    this.#store(servers);
    this.#recorder.record({
      type: "mcp_servers_set",
      servers: Object.keys(servers),
      ...(by !== undefined && { by }),
    });
    await this.#recorder.durable();
    // A server that a CLI was started with can be taken away only after it was named once. This does not start it again.
    if (!this.#told.has(engine)) await this.#give(engine, known);
    this.#told.add(engine);
    const { errors } = await this.#give(engine, this.all);
    return this.#outcomes(before, errors);
  }

  #checkNames(servers: McpServerConfigs): void {
    const namespaces = Object.keys(servers).map(serverNameForModel);
    const namespace = namespaces.find((name) => Object.hasOwn(this.#offered, name));
    if (namespace === undefined) return;
    throw nameInUse(`A client offers tools in the namespace ${namespace}`, namespace);
  }

  #store(servers: McpServerConfigs): void {
    try {
      this.#set.replace(servers);
    } catch (cause) {
      throw errorOf("disk_full", `The servers cannot be stored: ${describeFileError(cause)}.`, {
        cause,
      });
    }
  }

  #outcomes(before: McpServerConfigs, errors: Record<string, string>): McpServerOutcome[] {
    const now = this.#set.servers;
    const set = Object.entries(now).map(([name, server]): McpServerOutcome => {
      const error = errors[name];
      if (error !== undefined) {
        return { name, outcome: "failed", error: withProgram(error, this.programOf(name)) };
      }
      return { name, outcome: isDeepStrictEqual(server, before[name]) ? "kept" : "added" };
    });
    const gone = Object.keys(before).filter((name) => !Object.hasOwn(now, name));
    return [...set, ...gone.map((name): McpServerOutcome => ({ name, outcome: "removed" }))];
  }

  async #give(engine: Engine, servers: Servers): ReturnType<Engine["setMcpServers"]> {
    try {
      return await engine.setMcpServers(servers);
    } catch (cause) {
      if (engine === this.#life.engine) throw cause;
      throw errorOf("cli_exited", "Claude Code ended before it said what became of the servers.", {
        cause,
        hint: "Claude Code gets them when it is started next; status lists them as mcp_servers.",
      });
    }
  }
}

const nameInUse = (fact: string, namespace: string): ClaudeCodeError =>
  errorOf("name_in_use", `${fact}.`, { data: { namespace }, hint: "Choose another name." });

const refused = (name: string, why: string): ClaudeCodeError =>
  errorOf("execution_failed", `Claude Code did not connect to ${name}: ${why}`, {
    data: { server: name },
    hint: "Look at the settings that say which MCP servers are allowed.",
  });

/** Claude Code names the transport instead of a program that is not there. */
const withProgram = (error: string, program = "stdio"): string =>
  error.replace("posix_spawn 'stdio'", `posix_spawn '${program}'`);

/** The SDK refuses a program without a list of arguments, though Claude Code's own files may leave it out. */
const inSdkForm = (servers: McpServerConfigs): Servers =>
  Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      // Checked by the wire, and written for the CLI, which validates it itself.
      ("command" in server ? { args: [], ...server } : server) as unknown as McpServerConfig,
    ]),
  );
