import type { ClaudeCodeError } from "../wire/errors.ts";
import { randomUuid } from "../text/uuid-of-digest.ts";
import { errorOf } from "../wire/errors.ts";
import type { ContentBlock } from "../wire/content.ts";
import type { JsonObject } from "../wire/json.ts";
import type { DropOutcome, MessageOver, StoppedOutcome } from "../wire/session/answers.ts";
import type { SessionAnswer, SessionAnswerOf } from "../wire/session/answers.ts";
import type { Choices } from "../wire/session/choices.ts";
import type { SessionCommandInput } from "../wire/session/commands.ts";
import type { Completions } from "../wire/session/completion.ts";
import type { ElicitAction } from "../wire/session/elicitation.ts";
import type { SessionEvent } from "../wire/session/events.ts";
import type { McpServerConfigs, McpServerOutcome } from "../wire/session/mcp-servers.ts";
import type { Answers, ApprovalScope, Effort } from "../wire/session/shared-schemas.ts";
import type {
  ConnectedClient,
  MessagePriority,
  PermissionMode,
} from "../wire/session/shared-schemas.ts";
import { base64Bytes } from "./decode-base64.ts";
import type { CommandRules } from "../stream/open-commands.ts";
import type { ReadPlace } from "./read-position.ts";
import type { ClientOptions } from "./session-connection.ts";
import type { SessionItem } from "./session-item.ts";
import { SessionConnection } from "./session-connection.ts";
import type { ClientTool } from "./own-tools.ts";
import type { Connect } from "./transport.ts";

export interface MessageOptions {
  /** A repeated id counts once, also from two programs. Generated when absent. */
  readonly id?: string;
  readonly priority?: MessagePriority;
  /** The sender, when it is not the user. */
  readonly from?: string;
  /** Adds it to the conversation without starting a turn. */
  readonly quiet?: boolean;
}

export interface ApproveOptions {
  readonly scope?: ApprovalScope;
  readonly updatedInput?: JsonObject;
  /** For a plan: the mode to continue in. */
  readonly mode?: PermissionMode;
  /** For a plan: the edited plan. */
  readonly plan?: string;
}

export interface DenyOptions {
  readonly reason?: string;
  /** Ends the turn as well. */
  readonly interrupt?: boolean;
}

/** Base64 adds a third, and an answer is one line. */
const BLOB_PART_BYTES = 4 * 1024 * 1024;

/**
 * A session, as a program sees it. Events come once and in order, also when the connection breaks or the host is
 * restarted: the client reconnects and continues where it was.
 *
 * A command's promise resolves when the session has carried the command out, and rejects with the session's error.
 * Without a connection it waits. A command whose connection broke before its outcome was known is sent again, unless
 * later events show that it is done.
 */
export class SessionClient implements AsyncDisposable {
  readonly #connection: SessionConnection;

  private constructor(connection: SessionConnection) {
    this.#connection = connection;
  }

  /** @throws what `connect` throws, or the session's reason for refusing to attach; the signal's reason. */
  static async open(
    connect: Connect,
    options: ClientOptions = {},
    giveUp?: AbortSignal,
  ): Promise<SessionClient> {
    const connection = new SessionConnection(connect, options);
    await connection.open(giveUp);
    return new SessionClient(connection);
  }

  /** The `init` of the newest connection. */
  get init(): SessionAnswerOf<"init"> {
    return this.#connection.init;
  }

  /** The name under which others see this client. It is the requested one, or that name with a number. */
  get name(): string | undefined {
    return this.#connection.name;
  }

  /** The clients that are connected now, this one too. `onClients` is called when they change. */
  get clients(): readonly ConnectedClient[] {
    return this.#connection.clients;
  }

  /** The models, modes and slash commands to choose from. `onChoices` is called when they change. */
  get choices(): Choices {
    return this.#connection.choices;
  }

  /** The last event that `events()` has returned. A program that stores it can resume from there with `since`. */
  get place(): ReadPlace {
    return this.#connection.place;
  }

  /**
   * For one reader. A loop may be left and another one started: it continues with the next event. Ends when the
   * client is closed or the session was ended on purpose.
   *
   * @throws when the client has given up reconnecting.
   */
  events(): AsyncIterable<SessionItem> {
    return this.#connection.items;
  }

  /** Settles when no more events will come. Never rejects. */
  get closed(): Promise<ClaudeCodeError | undefined> {
    return this.#connection.closed;
  }

  /**
   * Resolves when the message is safe on the session's disk, whatever becomes of its turn. `over` means that no
   * further event will concern it, which happens when its id was sent before.
   */
  async send(
    message: string | readonly ContentBlock[],
    options: MessageOptions = {},
  ): Promise<{ id: string; over?: MessageOver }> {
    const id = options.id ?? randomUuid();
    const words = typeof message === "string" ? { text: message } : { content: [...message] };
    const answer = await this.#connection.request(
      { type: "message", ...words, ...options, id },
      { shownBy: (event) => (event.type === "user_message" && event.id === id) || undefined },
    );
    const over = answer?.type === "ok" ? answer.over : undefined;
    return { id, ...(over && { over }) };
  }

  /** @throws `already_resolved` when another client was faster; `unknown_request`. */
  async approve(requestId: string, options: ApproveOptions = {}): Promise<void> {
    const { updatedInput, ...others } = options;
    const command = { type: "approve", request_id: requestId, ...others } as const;
    await this.#decide(
      updatedInput === undefined ? command : { ...command, updated_input: updatedInput },
    );
  }

  /** @throws as `approve` does. */
  async deny(requestId: string, options: DenyOptions = {}): Promise<void> {
    await this.#decide({ type: "deny", request_id: requestId, ...options });
  }

  /** @throws as `approve` does. */
  async answer(requestId: string, answers: Answers): Promise<void> {
    await this.#decide({ type: "answer", request_id: requestId, answers });
  }

  /**
   * Answers what an MCP server asked. `content` has the fields of an accepted form by their names.
   *
   * @throws as `approve` does; `invalid_params` names a field that does not fit the form.
   */
  async respond(requestId: string, action: ElicitAction, content?: JsonObject): Promise<void> {
    const filled = content === undefined ? {} : { content };
    await this.#decide({ type: "respond", request_id: requestId, action, ...filled });
  }

  /**
   * Takes back a message that waits. Returns `too_late` when the model has it, or is about to get it.
   *
   * @throws `unknown_request` for an id that the session never accepted.
   */
  async drop(messageId: string): Promise<DropOutcome> {
    const answer = await this.#ask({ type: "drop", id: messageId }, "ok");
    return answer.outcome === "dropped" ? "dropped" : "too_late";
  }

  /** Gives people `ms` from now to answer a pending request. @throws as `approve` does. */
  async hold(requestId: string, ms: number): Promise<void> {
    await this.#carryOut({ type: "hold", request_id: requestId, ms });
  }

  /**
   * Takes back a permission that reaches beyond its call: the `id` of one of `status().grants`.
   *
   * @throws `unknown_request`; `execution_failed` when it is in a settings file that cannot be changed.
   */
  async revoke(grant: string): Promise<void> {
    await this.#carryOut(
      { type: "revoke", grant },
      {
        shownBy: (event) => (event.type === "grant_revoked" && event.grant === grant) || undefined,
      },
    );
  }

  /**
   * Ends one running call or background task; the turn goes on. Returns `too_late` when it has ended before, and
   * `not_possible` when Claude Code cannot end this call alone.
   *
   * @throws `unknown_request`; `invalid_params` for a call that waits for a decision.
   */
  async stop(
    target: { readonly requestId: string } | { readonly taskId: string },
  ): Promise<StoppedOutcome> {
    const named =
      "taskId" in target ? { task_id: target.taskId } : { request_id: target.requestId };
    const { outcome } = await this.#ask({ type: "stop", ...named }, "ok");
    return outcome === "stopped" || outcome === "not_possible" ? outcome : "too_late";
  }

  /** Ends the running turn and no later one: after a lost connection it is repeated only for that turn. */
  async abort(options: { readonly queue?: "keep" | "drop" } = {}): Promise<void> {
    const turn = this.#connection.openTurn;
    await this.#carryOut(
      { type: "abort", ...options },
      {
        shownBy: (event) =>
          (event.type === "done" && turn !== undefined && event.turn_id === turn) || undefined,
        isMoot: () => this.#connection.openTurn !== turn,
      },
    );
  }

  async setMode(mode: PermissionMode): Promise<void> {
    await this.#carryOut({ type: "set_mode", mode });
  }

  async setModel(model: string): Promise<void> {
    await this.#carryOut({ type: "set_model", model });
  }

  /** Null leaves the choice to the model. */
  async setThinking(effort: Effort | null): Promise<void> {
    await this.#carryOut({ type: "set_thinking", effort });
  }

  /** Gives the conversation a title. */
  async rename(title: string): Promise<void> {
    await this.#carryOut({ type: "rename", title });
  }

  /**
   * Puts these MCP servers in the place of those that clients set before, and returns what became of each. They are in the
   * form of `.mcp.json`, and hold for every later start of the session.
   */
  async setMcpServers(servers: McpServerConfigs): Promise<readonly McpServerOutcome[]> {
    const answer = await this.#ask({ type: "set_mcp_servers", servers }, "ok");
    return answer.servers ?? [];
  }

  /** Files whose names fit what a person has typed after an @. @throws `cwd_not_found`. */
  completeFile(prefix: string, options: { readonly limit?: number } = {}): Promise<Completions> {
    return this.#ask({ type: "complete", kind: "file", prefix, ...options }, "completions");
  }

  /**
   * Offers functions of this program to the model, as `mcp__NAMESPACE__TOOL`. Resolves when the model has them. The list
   * replaces the former one of the namespace; an empty one withdraws it. After a lost connection, and after a restart of
   * the session, the client offers the tools again by itself. Read `events()` meanwhile, or the session is slowed down.
   *
   * @param awayMs How long the tools stay, and their calls wait, when this program is gone; 30 s by default.
   * @throws `name_in_use` when another client or an MCP server has the namespace; `tool_invalid`; `read_only`.
   */
  async offerTools(
    namespace: string,
    tools: readonly ClientTool[],
    { awayMs }: { readonly awayMs?: number } = {},
  ): Promise<void> {
    await this.#connection.tools.offer(namespace, tools, awayMs);
  }

  status(): Promise<SessionAnswerOf<"status">> {
    return this.#ask({ type: "status" }, "status");
  }

  /**
   * A page of older events, oldest first: those before `before`, or the newest. With `whole`, the deltas of a text are one
   * event.
   */
  history(
    page: { readonly before?: number; readonly limit?: number; readonly whole?: boolean } = {},
  ): Promise<SessionAnswerOf<"history">> {
    return this.#ask({ type: "history", ...page }, "history");
  }

  /**
   * Where a text begins in the log, newest first; upper and lower case are the same. One call looks at a part of a long
   * log: while there is `more`, go on with the answer's `before`, even if `hits` is empty.
   */
  search(
    text: string,
    page: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<SessionAnswerOf<"found">> {
    return this.#ask({ type: "search", text, ...page }, "found");
  }

  /** A complete payload that was too large for the log. */
  async blob(blob: string): Promise<Uint8Array> {
    let whole = new Uint8Array(0);
    let offset = 0;
    do {
      const part = await this.#ask(
        { type: "get_blob", blob, offset, limit: BLOB_PART_BYTES },
        "blob",
      );
      const bytes = base64Bytes(part.data);
      if (offset === 0) whole = new Uint8Array(part.bytes);
      if (bytes.length === 0 || offset + bytes.length > whole.length) break;
      whole.set(bytes, offset);
      offset += bytes.length;
    } while (offset < whole.length);
    if (offset === whole.length) return whole;
    throw errorOf("internal", `The session sent ${offset} of ${whole.length} bytes of ${blob}.`);
  }

  async ping(): Promise<void> {
    await this.#ask({ type: "ping" }, "pong");
  }

  /**
   * Ends the session's process. Resolves when it is about to end, or when its socket is gone. A lost connection alone
   * is not an end: if the host was killed before it received this, its successor is asked again.
   */
  async shutdown(): Promise<void> {
    await this.#carryOut(
      { type: "shutdown" },
      {
        // The log may contain the end of earlier processes.
        shownBy: (event, isLater) => (event.type === "closing" && isLater) || undefined,
        endsServer: true,
      },
    );
  }

  /** Disconnects; the session goes on. Unanswered commands reject with `connection_lost`. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #decide(command: SessionCommandInput & { request_id: string }): Promise<void> {
    await this.#carryOut(command, {
      shownBy: (event) => {
        if (event.type !== "approval_resolved") return undefined;
        if (event.request_id !== command.request_id) return undefined;
        return this.#connection.isOwn(event.by) || decidedBy(event);
      },
    });
  }

  async #carryOut(command: SessionCommandInput, rules?: CommandRules<SessionEvent>): Promise<void> {
    await this.#connection.request(command, rules);
  }

  async #ask<Type extends SessionAnswer["type"]>(
    command: SessionCommandInput,
    type: Type,
  ): Promise<SessionAnswerOf<Type>> {
    const answer = await this.#connection.request(command);
    if (answer?.type === type) return answer as SessionAnswerOf<Type>;
    throw errorOf("internal", `The session answered ${command.type} with ${answer?.type}.`);
  }
}

function decidedBy(event: Extract<SessionEvent, { type: "approval_resolved" }>): ClaudeCodeError {
  const who = event.by === undefined ? "" : ` by ${event.by}`;
  return errorOf("already_resolved", `${event.request_id} is ${event.outcome}${who}.`, {
    data: { outcome: event.outcome, ...(event.by !== undefined && { by: event.by }) },
  });
}
