import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "../../src/engine/engine.ts";
import type { EngineEvent } from "../../src/engine/events.ts";
import type { McpServerConfig } from "../../src/engine/sdk-options.ts";
import type {
  JournalEvent,
  JournalRequest,
  Rehearsal,
  ScriptFunction,
} from "../../src/rehearsal/index.ts";
import { rehearsalEnvironment } from "../../src/rehearsal/index.ts";

const TOOL = "mcp__bench__text";
const PATIENCE_MS = 60_000;

/** A model that calls the tool once for each message of the user. */
export const callOnce: ScriptFunction = ({ newToolResults }) =>
  newToolResults.length > 0
    ? { text: "Done." }
    : { tools: [{ name: TOOL, input: { bytes: 100 } }] };

/** A session of the real CLI with a rehearsed model, and what happened when on the model's side. */
export class RehearsedSession {
  readonly #name = randomUUID();
  readonly #directory = mkdtempSync(join(tmpdir(), "bench-session-"));
  readonly #engine: Engine;
  readonly #forget: () => void;
  readonly #startMs: number;
  #turn = new Turn();

  /** Starts the CLI and says the first thing, which need not wait for it. */
  constructor(rehearsal: Rehearsal, server: McpServerConfig) {
    this.#forget = rehearsal.journal.listen((event) => this.#turn.note(event, this.#name));
    this.#startMs = performance.now();
    this.#engine = new Engine({
      cwd: this.#directory,
      env: {
        ...rehearsalEnvironment(rehearsal.url, { agent: this.#name }),
        CLAUDE_CONFIG_DIR: this.#directory,
        HOME: this.#directory,
      },
      settingSources: [],
      strictMcpConfig: true,
      mcpServers: { bench: server },
      allowedTools: [TOOL],
      decide: async () => ({ allow: true }),
      onEvent: (event) => this.#follow(event),
    });
    this.#say();
  }

  /** From the start of the CLI to its first model request; then the turn is seen to its end. */
  async firstRequestMs(): Promise<number> {
    const { atMs } = await this.#turn.asked.promise;
    await this.#turn.ended.promise;
    return atMs - this.#startMs;
  }

  /** Does the model know of the tool from its first request on? */
  async hasTool(): Promise<boolean> {
    const { request } = await this.#turn.asked.promise;
    return request.tools.includes(TOOL);
  }

  /** From the end of the answer that calls the tool to the request that brings the result. */
  async toolTurnMs(): Promise<number> {
    this.#turn = new Turn();
    this.#say();
    await this.#turn.ended.promise;
    return this.#turn.toolMs();
  }

  async close(): Promise<void> {
    this.#forget();
    await this.#engine.close();
    rmSync(this.#directory, { recursive: true });
  }

  #say(): void {
    const late = new Error(`No end of a turn within ${PATIENCE_MS} ms.`);
    const { ended, asked } = this.#turn;
    const timer = setTimeout(() => (ended.reject(late), asked.reject(late)), PATIENCE_MS);
    ended.promise.then(
      () => clearTimeout(timer),
      () => {},
    );
    asked.promise.catch(() => {});
    this.#engine.push({ id: randomUUID(), content: "Go on." });
  }

  #follow(event: EngineEvent): void {
    if (event.type === "turn_ended") this.#turn.ended.resolve();
    if (event.type === "closed" && event.error) {
      this.#turn.ended.reject(new Error(event.error.message));
    }
  }
}

/** One message of the user, with the two model requests that it leads to. */
class Turn {
  readonly asked = Promise.withResolvers<{ atMs: number; request: JournalRequest }>();
  readonly ended = Promise.withResolvers<void>();
  #askedId: number | undefined;
  #calledMs = NaN;
  #returnedMs = NaN;

  note(event: JournalEvent, agent: string): void {
    const atMs = performance.now();
    if (event.type === "finished" && event.id === this.#askedId) this.#calledMs = atMs;
    if (event.type !== "request") return;
    const { request } = event;
    if (request.kind !== "main" || request.agent !== agent) return;
    if (request.new_tool_results.some(({ is_error }) => !is_error)) {
      this.#returnedMs = atMs;
    } else {
      this.#askedId = request.id;
      this.asked.resolve({ atMs, request });
    }
  }

  toolMs(): number {
    const ms = this.#returnedMs - this.#calledMs;
    if (Number.isNaN(ms)) throw new Error("A turn went by without the tool.");
    return ms;
  }
}
