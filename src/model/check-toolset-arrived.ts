import type { EngineEvent, McpServerReport } from "../engine/index.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import type { Toolset } from "./toolset.ts";
import { seenName } from "./toolset.ts";

/** A session's progress with its tools: Claude Code is connecting, lacks some, or has all. */
export type Offered = "pending" | "some" | "all";

/** Claude Code continues without a failed server, and reports it only on request: this class asks. */
export class ToolCheck {
  readonly #toolset: string;
  /** The tools' own names. */
  readonly #expected: string[];
  #lastLook: { missing: string[]; status: string } = { missing: [], status: "absent" };
  #tools: string[] = [];
  #status = "absent";
  #done = false;

  constructor({ name, tools }: Toolset, disallowed: readonly string[]) {
    this.#toolset = name;
    const isForbidden = (tool: string): boolean =>
      disallowed.some((rule) =>
        [seenName(name, tool), seenName(name, "*"), server(name)].includes(rule),
      );
    this.#expected = tools.map((tool) => tool.name).filter((tool) => !isForbidden(tool));
  }

  /** Before the first message. @throws `bridge_startup` when the tools will not come. */
  look(servers: readonly McpServerReport[]): Offered {
    const own = servers.find(({ name }) => name === this.#toolset);
    const { status = "absent", tools = [], error } = own ?? {};
    const missing = this.#expected.filter((tool) => !tools.includes(tool));
    this.#lastLook = { missing, status };
    if (status === "pending") return status;
    if (status === "connected" && missing.length === 0) return "all";
    if (status === "connected" || status === "absent") return "some";
    throw this.#lacking(missing, status, error);
  }

  /** The error when the tools did not come in time. */
  late(): ClaudeCodeError {
    const { missing, status } = this.#lastLook;
    return this.#lacking(missing, status, "it did not offer them in time");
  }

  /** Takes an event of a started session; returns an error, once, if it lacks tools. */
  take(event: EngineEvent): ClaudeCodeError | undefined {
    if (event.type === "ready") this.#tools = event.tools;
    if (event.type === "mcp_status") {
      const own = event.servers.find(({ name }) => name === this.#toolset);
      this.#status = own?.status ?? this.#status;
    }
    if (event.type !== "turn_started" || this.#done) return undefined;
    this.#done = true;
    const missing = this.#expected.filter(
      (tool) => !this.#tools.includes(seenName(this.#toolset, tool)),
    );
    return missing.length === 0 ? undefined : this.#lacking(missing, this.#status);
  }

  #lacking(tools: readonly string[], status: string, why?: string): ClaudeCodeError {
    const missing = tools.map((tool) => seenName(this.#toolset, tool));
    const because = why === undefined ? "" : ` (${why})`;
    return errorOf(
      "bridge_startup",
      `Claude Code started without the tools ${missing.join(", ")}: its server ${this.#toolset} is ${status}${because}.`,
      {
        data: { server: this.#toolset, status, missing },
        hint: "On a busy machine raise MCP_TIMEOUT, the milliseconds that Claude Code waits for a server.",
      },
    );
  }
}

const server = (name: string): string => `mcp__${name}`;
