import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import type {
  ClientCapabilities,
  ClientConnection,
  CreateElicitationRequest,
  CreateElicitationResponse,
  InitializeResponse,
  NewSessionResponse,
  PromptResponse,
  RequestPermissionRequest,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { onTestFinished, vi } from "vitest";
import { LineSplitter } from "../../../src/wire/lines.ts";
import type { Home } from "../agent-socket-process.ts";
import type { AgentLine } from "./schema-faults.ts";
import { mustBeValid } from "./schema-faults.ts";

const bin = resolve(import.meta.dirname, "../../../bin/agent-socket.js");

/** The built program, as an editor starts it. */
export function startFace(home: Home, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [bin, "acp", ...args], {
    cwd: home.root,
    env: { ...home.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  child.stdin.on("error", () => {});
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended };
}

type Update<Kind extends SessionUpdate["sessionUpdate"]> = Extract<
  SessionUpdate,
  { sessionUpdate: Kind }
>;

/** A question that waits for the person at the editor. */
export interface Asked<Request, Answer> {
  readonly request: Request;
  readonly signal: AbortSignal;
  answer(answer: Answer): void;
}

export type AskedPermission = Asked<RequestPermissionRequest, string>;
export type AskedForm = Asked<CreateElicitationRequest, CreateElicitationResponse>;

/** An editor, made of the official client. Everything that the agent sends is checked by the official schema. */
export class AcpEditor {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  readonly connection: ClientConnection;
  readonly updates: SessionUpdate[] = [];
  readonly permissions: AskedPermission[] = [];
  readonly forms: AskedForm[] = [];
  /** Every line of the agent. */
  readonly lines: AgentLine[] = [];
  /** What it said on stderr. */
  stderr = "";
  sessionId = "";
  readonly #asked = new Map<unknown, string>();

  constructor(home: Home, args: readonly string[], env: Record<string, string> = {}) {
    const { child, ended } = startFace(home, args, env);
    this.child = child;
    this.ended = ended;
    child.stderr.on("data", (chunk) => (this.stderr += String(chunk)));
    const copy = new PassThrough();
    this.#watch(child.stdout, this.lines, copy);
    const sent: AgentLine[] = [];
    const input = new PassThrough();
    this.#watch(input, sent, child.stdin, ({ id, method }) => {
      if (method !== undefined && id !== undefined) this.#asked.set(id, method);
    });
    this.connection = client({ name: "editor" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
        this.#wait(this.permissions, params, signal).then((optionId) =>
          optionId === "cancelled"
            ? { outcome: { outcome: "cancelled" } }
            : { outcome: { outcome: "selected", optionId } },
        ),
      )
      .onRequest(methods.client.elicitation.create, ({ params, signal }) =>
        this.#wait<CreateElicitationRequest, CreateElicitationResponse>(this.forms, params, signal),
      )
      .connect(
        ndJsonStream(Writable.toWeb(input), Readable.toWeb(copy) as ReadableStream<Uint8Array>),
      );
  }

  async initialize(capabilities: ClientCapabilities = {}): Promise<InitializeResponse> {
    return this.connection.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: capabilities,
      clientInfo: { name: "test", version: "1" },
    });
  }

  async newSession(cwd: string): Promise<NewSessionResponse> {
    const session = await this.connection.agent.request(methods.agent.session.new, {
      cwd,
      mcpServers: [],
    });
    this.sessionId = session.sessionId;
    return session;
  }

  prompt(text: string): Promise<PromptResponse> {
    return this.connection.agent.request(methods.agent.session.prompt, {
      sessionId: this.sessionId,
      prompt: [{ type: "text", text }],
    });
  }

  async load(sessionId: string, cwd: string): Promise<void> {
    this.sessionId = sessionId;
    await this.connection.agent.request(methods.agent.session.load, {
      sessionId,
      cwd,
      mcpServers: [],
    });
  }

  cancel(): Promise<void> {
    return this.connection.agent.notify(methods.agent.session.cancel, {
      sessionId: this.sessionId,
    });
  }

  all<Kind extends SessionUpdate["sessionUpdate"]>(kind: Kind): Update<Kind>[] {
    return this.updates.filter((each): each is Update<Kind> => each.sessionUpdate === kind);
  }

  /** All texts of one kind, put together. */
  text(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk"): string {
    return this.all(kind)
      .map(({ content }) => (content.type === "text" ? content.text : `[${content.type}]`))
      .join("");
  }

  /** Waits until something is true of what came. */
  async until<Value>(find: () => Value | undefined | false, what: string): Promise<Value> {
    return vi
      .waitUntil(() => find() ?? false, { timeout: 60_000, interval: 15 })
      .catch(() => {
        const seen = this.updates.map(({ sessionUpdate }) => sessionUpdate).join(" ");
        throw new Error(`no ${what} came; updates: ${seen}; stderr: ${this.stderr}`);
      });
  }

  permission(index = 0): Promise<AskedPermission> {
    return this.until(() => this.permissions[index], `permission ${index}`);
  }

  form(index = 0): Promise<AskedForm> {
    return this.until(() => this.forms[index], `form ${index}`);
  }

  /** Closes its end, and looks at all that the agent has said. */
  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.ended;
    mustBeValid(this.lines, this.#asked);
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
    mustBeValid(this.lines, this.#asked);
  }

  #wait<Request, Answer>(
    list: Asked<Request, Answer>[],
    request: Request,
    signal: AbortSignal,
  ): Promise<Answer> {
    return new Promise((answer) => list.push({ request, signal, answer }));
  }

  #watch(
    from: NodeJS.ReadableStream,
    lines: AgentLine[],
    to: NodeJS.WritableStream,
    seen: (line: AgentLine) => void = () => {},
  ): void {
    const splitter = new LineSplitter(64 * 1024 * 1024);
    from.on("data", (chunk: Buffer) => {
      for (const split of splitter.push(chunk)) {
        if (!split.ok) throw split.error;
        const line = JSON.parse(Buffer.from(split.bytes).toString()) as AgentLine;
        lines.push(line);
        seen(line);
      }
      to.write(chunk);
    });
    from.once("end", () => to.end());
  }
}
