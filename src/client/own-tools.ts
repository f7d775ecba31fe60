import { pause } from "../time/abortable-waits.ts";
import type { CommandRules } from "../stream/open-commands.ts";
import { ClaudeCodeError, errorOf } from "../wire/errors.ts";
import type { JsonObject } from "../wire/json.ts";
import type { SessionAnswer, SessionAnswerOf } from "../wire/session/answers.ts";
import type { SessionCommandInput } from "../wire/session/commands.ts";
import type { SessionEvent } from "../wire/session/events.ts";
import type { OfferedToolInput, ToolContent } from "../wire/session/offered-tools.ts";

/** What a handler learns of its call. */
export interface ToolCallContext {
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** The call was sent before, and may have run; only for idempotent tools. */
  readonly isRepeated: boolean;
  /** The model's own id of the call, as in the event `tool_use`. */
  readonly requestId: string | undefined;
  readonly progress: (progress: { progress: number; total?: number; message?: string }) => void;
}

/** What a handler may return besides a plain text. */
export interface ToolReply {
  readonly text?: string;
  readonly content?: ToolContent[];
  /** For a tool with an output schema. */
  readonly structured?: JsonObject;
  /** The tool ran and failed, in its own words. */
  readonly isError?: boolean;
}

/** A function of this program that the model may call. */
export interface ClientTool {
  readonly name: string;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /** JSON Schema of an object. The session checks what the model sends. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly title?: string;
  readonly annotations?: NonNullable<OfferedToolInput["annotations"]>;
  /** Running a call twice does no harm, so the session may send it again. */
  readonly idempotent?: boolean;
  readonly timeoutMs?: number;
  /** What it throws, the model reads. */
  handler(
    input: JsonObject,
    context: ToolCallContext,
  ): Promise<string | ToolReply | undefined> | string | ToolReply | undefined;
}

interface Offer {
  readonly tools: readonly ClientTool[];
  readonly awayMs: number | undefined;
  /** The session has accepted it. */
  isAccepted: boolean;
}

interface Call {
  readonly namespace: string;
  readonly abort: AbortController;
  /** What the session has not acknowledged yet. */
  result?: SessionCommandInput;
  /** The session did not take the result itself: this one says so. */
  isRefused?: boolean;
}

type Request = (
  command: SessionCommandInput,
  rules?: CommandRules<SessionEvent>,
) => Promise<SessionAnswer | undefined>;

/** How often, and after which pause, an offer is repeated while the session still has our old connection. */
const NAME_TRIES = 30;
const NAME_RETRY_MS = 1_000;

/** The tools that this program offers to a session, on all its connections. */
export class OwnTools {
  readonly #request: Request;
  readonly #onProblem: (error: ClaudeCodeError) => void;
  readonly #offers = new Map<string, Offer>();
  readonly #calls = new Map<string, Call>();
  /** Rises with each connection, and when one is lost. */
  #connection = 0;
  /** By namespace, the connection on which the session knows us as its owner: only there it takes results. */
  readonly #ownedOn = new Map<string, number>();

  constructor(request: Request, onProblem: (error: ClaudeCodeError) => void = () => {}) {
    this.#request = request;
    this.#onProblem = onProblem;
  }

  /** Resolves when the model has the tools. An empty list withdraws them. */
  async offer(namespace: string, tools: readonly ClientTool[], awayMs?: number): Promise<void> {
    const before = this.#offers.get(namespace);
    const offer: Offer = { tools, awayMs, isAccepted: false };
    this.#offers.set(namespace, offer);
    try {
      await this.#request(this.#commandOf(namespace, offer));
      offer.isAccepted = true;
      this.#owned(namespace);
      if (tools.length === 0 && this.#offers.get(namespace) === offer)
        this.#offers.delete(namespace);
    } catch (error) {
      if (this.#offers.get(namespace) === offer) {
        if (before) this.#restore(namespace, before);
        else this.#offers.delete(namespace);
      }
      throw error;
    }
  }

  /** A connection is there: the session waits for the offers of the one before. */
  attached(): void {
    this.#connection += 1;
    if (this.#connection === 1) return;
    for (const [namespace, offer] of this.#offers) {
      if (offer.isAccepted) void this.#offerAgain(namespace, offer, this.#connection);
    }
  }

  /** The connection is lost: results wait until the next one has the offers. */
  lost(): void {
    this.#connection += 1;
  }

  take(line: SessionAnswerOf<"tool_call" | "tool_cancel">): void {
    if (line.type === "tool_call") {
      // Only an owner is called. The answer to its offer may come later.
      this.#owned(line.namespace);
      void this.#run(line);
    } else {
      const reason = errorOf("aborted", `The call was cancelled: ${line.reason}.`);
      this.#calls.get(line.call)?.abort.abort(reason);
      this.#calls.delete(line.call);
    }
  }

  /** Nobody will get results any more. */
  close(): void {
    for (const { abort } of this.#calls.values()) {
      abort.abort(errorOf("aborted", "The client is closed."));
    }
    this.#calls.clear();
    this.#offers.clear();
  }

  async #offerAgain(namespace: string, offer: Offer, connection: number): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      if (this.#connection !== connection || this.#offers.get(namespace) !== offer) return;
      try {
        await this.#request(this.#commandOf(namespace, offer), { once: true });
        break;
      } catch (error) {
        // After a lost connection the next one offers it again.
        if (this.#connection !== connection || hasCode(error, ["connection_lost"])) return;
        if (!hasCode(error, ["name_in_use"]) || tries === NAME_TRIES) {
          if (error instanceof ClaudeCodeError) this.#onProblem(error);
          return;
        }
        await pause(NAME_RETRY_MS);
      }
    }
    if (this.#connection === connection) this.#owned(namespace);
  }

  /** The offer that was to be replaced counts again. The connection that it was made on may be gone. */
  #restore(namespace: string, offer: Offer): void {
    this.#offers.set(namespace, offer);
    if (!offer.isAccepted || this.#isOwned(namespace)) return;
    void this.#offerAgain(namespace, offer, this.#connection);
  }

  #isOwned(namespace: string): boolean {
    return this.#ownedOn.get(namespace) === this.#connection;
  }

  /** From now on this connection can return results, first those that had to wait. */
  #owned(namespace: string): void {
    if (this.#isOwned(namespace)) return;
    this.#ownedOn.set(namespace, this.#connection);
    for (const [id, call] of this.#calls) {
      if (call.namespace === namespace) void this.#return(id, call);
    }
  }

  async #run(line: SessionAnswerOf<"tool_call">): Promise<void> {
    const { call: id, namespace, request_id: requestId, input } = line;
    const tool = this.#offers.get(namespace)?.tools.find(({ name }) => name === line.tool);
    const abort = new AbortController();
    const call: Call = { namespace, abort };
    this.#calls.set(id, call);
    const context: ToolCallContext = {
      signal: abort.signal,
      isRepeated: line.again === true,
      requestId,
      progress: (progress) => {
        if (abort.signal.aborted || call.result) return;
        // Progress is optional: one that is too late does not matter.
        this.#request({ type: "tool_progress", call: id, ...progress }, { once: true }).catch(
          () => {},
        );
      },
    };
    let result: SessionCommandInput;
    try {
      if (!tool) throw new Error(`There is no tool ${line.tool}.`);
      result = returnOf(id, replyOf(await tool.handler(input, context)));
    } catch (thrown) {
      result = returnOf(id, { text: wordsOf(thrown), isError: true });
    }
    if (this.#calls.get(id) !== call) return;
    call.result = result;
    await this.#return(id, call);
  }

  /** A result that is lost with its connection, or ready without one, is sent when the next one has the offer. */
  async #return(id: string, call: Call): Promise<void> {
    const connection = this.#connection;
    if (!call.result || !this.#isOwned(call.namespace)) return;
    try {
      await this.#request(call.result, { once: true });
    } catch (error) {
      if (hasCode(error, unfit) && !call.isRefused) return this.#refused(id, call, error);
      // It may have gone out on the next connection, before the offer.
      const isEarly = this.#connection !== connection && hasCode(error, ["unknown_request"]);
      if (isEarly || !hasCode(error, over)) return;
    }
    this.#calls.delete(id);
  }

  /** The session does not take this result, for example because it is too large: the model has to hear something. */
  async #refused(id: string, call: Call, error: ClaudeCodeError): Promise<void> {
    this.#onProblem(error);
    const text = `The tool ran, but its result could not be sent: ${error.message}`;
    call.result = returnOf(id, { text, isError: true });
    call.isRefused = true;
    await this.#return(id, call);
  }

  #commandOf(namespace: string, { tools, awayMs }: Offer): SessionCommandInput {
    const running = [...this.#calls].filter(([, call]) => call.namespace === namespace);
    return {
      type: "offer_tools",
      namespace,
      tools: tools.map(toWire),
      ...(awayMs !== undefined && { away_ms: awayMs }),
      ...(running.length > 0 && { running: running.map(([id]) => id) }),
    };
  }
}

const toWire = (tool: ClientTool): OfferedToolInput => ({
  name: tool.name,
  description: tool.description,
  input_schema: tool.inputSchema,
  ...(tool.outputSchema && { output_schema: tool.outputSchema }),
  ...(tool.title !== undefined && { title: tool.title }),
  ...(tool.annotations && { annotations: tool.annotations }),
  ...(tool.idempotent !== undefined && { idempotent: tool.idempotent }),
  ...(tool.timeoutMs !== undefined && { timeout_ms: tool.timeoutMs }),
});

/** @throws for null, which a program without types may return. */
function replyOf(returned: string | ToolReply | null | undefined): ToolReply {
  if (returned === null) throw new Error("The tool returned null instead of a result.");
  return typeof returned === "object" ? returned : { text: returned ?? "" };
}

function wordsOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return "The tool failed, and what it threw cannot be shown.";
  }
}

function returnOf(call: string, reply: ToolReply): SessionCommandInput {
  const { text, content, structured, isError } = reply;
  const words = content ? { content } : { text: text ?? JSON.stringify(structured ?? "") };
  return {
    type: "tool_return",
    call,
    ...words,
    ...(structured && { structured }),
    ...(isError === true && { is_error: true }),
  };
}

/** The result cannot be sent in this form. */
const unfit = ["message_too_large", "invalid_params", "not_serialisable"] as const;
/** Nothing is to be done: the session does not wait for the result, or does not even take our words about it. */
const over = ["already_resolved", "unknown_request", ...unfit] as const;

const hasCode = (error: unknown, codes: readonly string[]): error is ClaudeCodeError =>
  error instanceof ClaudeCodeError && codes.includes(error.code);
