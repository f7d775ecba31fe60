import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { onTestFinished } from "vitest";
import { TeamConnections } from "../../src/mcp/team-connections.ts";
import type { TeamMcpOptions } from "../../src/mcp/team-mcp-server.ts";
import { teamMcpServers } from "../../src/mcp/team-mcp-server.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import { connectTeamOnce } from "./connect-team.ts";

/** Both versions of MCP's protocol that a client may speak. */
export const versions = ["2026-07-28", "2025-11-25"] as const;
export type McpVersion = (typeof versions)[number];

/** What the person does with a form; undefined for a client that can show none. */
export type FillForm = (form: ElicitRequestFormParams) => ElicitResult | Promise<ElicitResult>;

export interface McpClientOptions {
  readonly version: McpVersion;
  readonly fill?: FillForm | undefined;
}

/** The MCP face of one team, in this process. */
export class McpStage {
  readonly newServer: ReturnType<typeof teamMcpServers>;
  readonly connections: TeamConnections;

  constructor(stateDir: string, options: Partial<TeamMcpOptions> = {}) {
    this.connections = new TeamConnections((name) =>
      connectTeamOnce(controlSocket(stateDir), name),
    );
    onTestFinished(() => this.connections[Symbol.asyncDispose]());
    this.newServer = teamMcpServers({
      connections: this.connections,
      person: "ada",
      stateKey: new Uint8Array(32).fill(7),
      version: "0",
      ...options,
    });
  }

  /** The official client, connected. */
  async connect({ version, fill }: McpClientOptions): Promise<Client> {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const served = serveStdio(this.newServer, { transport: theirs });
    const client = newClient(version, fill);
    onTestFinished(async () => {
      await client.close();
      await served.close();
    });
    await client.connect(ours);
    return client;
  }
}

function newClient(version: McpVersion, fill: FillForm | undefined): Client {
  const isModern = version === "2026-07-28";
  const client = new Client(
    { name: "editor", version: "1" },
    {
      capabilities: fill ? { elicitation: { form: {} } } : {},
      ...(isModern && { versionNegotiation: { mode: { pin: version } } }),
    },
  );
  if (fill) {
    client.setRequestHandler("elicitation/create", ({ params }) =>
      fill(params as ElicitRequestFormParams),
    );
  }
  return client;
}

/** The text of a tool's result. */
export const textOf = (result: object): string =>
  ((result as { content?: { text?: string }[] }).content ?? [])
    .map(({ text = "" }) => text)
    .join("\n");
