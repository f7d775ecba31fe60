import { join } from "node:path";
import { socketName } from "../../src/bridge/host/bridge-file-names.ts";
import type { Listener } from "../../src/net/listen.ts";
import { listen } from "../../src/net/listen.ts";
import { makeOwnDirectory } from "../../src/net/socket-file/own-directory.ts";
import type { AgentSpec } from "../../src/team/file/team.ts";
import type { HostedAgent, RunMark } from "../../src/team/host/agent-host.ts";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import type { LocalHostOptions } from "../../src/team/host/local/local-host.ts";
import { LocalHost } from "../../src/team/host/local/local-host.ts";

/**
 * This machine, where it need not be built: agents that the test plays call their tools themselves, so the bridge
 * program may be missing. The sockets of the tools are those that a bridge would connect to.
 */
export class FakeHost extends LocalHost {
  readonly #stateDir: string;
  readonly #listeners: Listener[] = [];

  constructor(options: LocalHostOptions) {
    super(options);
    this.#stateDir = options.stateDir;
  }

  override agent(spec: AgentSpec, mark: RunMark): HostedAgent {
    const agent = super.agent(spec, mark);
    const directory = pathsOfAgent(this.#stateDir, spec.id).tools;
    agent.offerTools = async (tools) => {
      makeOwnDirectory(directory);
      const path = join(directory, socketName(tools.name));
      const onConnection = tools.serve.bind(tools);
      this.#listeners.push(await listen({ path, onConnection }));
    };
    return agent;
  }

  override async close(options: { clear: boolean }): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener.close()));
    await super.close(options);
  }
}
