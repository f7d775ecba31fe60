import type { Query, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { rehearsalEnvironment } from "../../src/rehearsal/index.ts";
import type { LiveTeam } from "./live-team.ts";

/** The least there is between a program and the model: one CLI, pushed into through the SDK. */
export class DirectSession {
  readonly #writer: WritableStreamDefaultWriter<SDKUserMessage>;
  readonly #session: Query;
  #results = 0;

  constructor(team: LiveTeam) {
    const input = new TransformStream<SDKUserMessage, SDKUserMessage>();
    this.#writer = input.writable.getWriter();
    const { ANTHROPIC_API_KEY: _, ...env } = process.env;
    this.#session = query({
      prompt: input.readable,
      options: {
        cwd: `${team.root}/work`,
        env: {
          ...env,
          HOME: team.root,
          CLAUDE_CONFIG_DIR: `${team.root}/direct`,
          ...rehearsalEnvironment(team.rehearsal.url, { agent: "direct" }),
        },
        includePartialMessages: true,
        permissionMode: "default",
        systemPrompt: { type: "preset", preset: "claude_code" },
        settingSources: ["user"],
      },
    });
    void this.#read();
  }

  /** How many turns have ended. */
  get results(): number {
    return this.#results;
  }

  push(text: string, priority: "now" | "next" = "next"): void {
    const message = { role: "user" as const, content: text };
    void this.#writer.write({ type: "user", message, parent_tool_use_id: null, priority });
  }

  async close(): Promise<void> {
    await this.#writer.close().catch(() => {});
    this.#session.close();
  }

  async #read(): Promise<void> {
    try {
      for await (const message of this.#session) if (message.type === "result") this.#results += 1;
    } catch {
      // It was closed.
    }
  }
}
