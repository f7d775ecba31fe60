import { randomUUID } from "node:crypto";
import type { LanguageModelV4CallOptions, LanguageModelV4FinishReason } from "@ai-sdk/provider";
import type { EngineEvent, TurnEndedEvent } from "../../engine/events.ts";
import type { ToolContext } from "../../bridge/tool/define-tool.ts";
import { fromWire } from "../../wire/error-wire.ts";
import { errorOf } from "../../wire/errors.ts";
import { tellListener } from "../listener.ts";
import { toContent } from "../messages.ts";
import type { OutputReader } from "../structured-output.ts";
import { OUTPUT_TOOL } from "../structured-output.ts";
import { seenName, ToolSession } from "../tool-session.ts";
import { digestOfAnswer, digestsOf } from "./digest.ts";
import { functionTools, heldTool } from "./held-tool.ts";
import { OpenCalls } from "./open-calls.ts";
import { newWords } from "./prompt.ts";
import { offerTools } from "./offer-tools.ts";
import type { SessionPlan } from "./session-plan.ts";
import { HOLD_MS, PROVIDER } from "./settings.ts";
import { Step } from "./step.ts";
import { StepWriter } from "./step-writer.ts";
import { newResults, noResult } from "./tool-results.ts";
import { StepTokens } from "./usage.ts";

/** The name of the server that the caller's tools belong to, for the session. */
const SERVER = "tools";
const PING_MS = 10_000;
/** How long calls that cannot come before others are answered may keep these from the caller. */
const SETTLE_MS = 1_000;

/** The caller's name of a tool, if it is the caller's. */
function ownName(tool: string): string | undefined {
  const prefix = seenName(SERVER, "");
  return tool.startsWith(prefix) ? tool.slice(prefix.length) : undefined;
}

/** What those who keep conversations want to know of one. */
export interface ConversationEvents {
  /** The caller is to answer these calls. */
  onHeld(ids: readonly string[]): void;
  /** Its session has ended. */
  onClosed(): void;
}

/**
 * One session behind the steps of one conversation. When its model calls tools of the caller, the calls are
 * held open, the step ends, and the next step brings their results: then the same session goes on.
 */
export class Conversation {
  readonly #plan: SessionPlan;
  readonly #events: ConversationEvents;
  readonly #output: OutputReader | undefined;
  readonly #calls: OpenCalls;
  readonly #tokens = new StepTokens();
  readonly #writer: StepWriter;
  /** By the marks of their prompts. */
  readonly #steps = new Map<string, Step>();
  #step: Step;
  #state: "running" | "held" | "closed" = "running";
  #session: ToolSession | undefined;
  #closing: Promise<void> | undefined;
  #sessionId = "";
  #model: string;
  #tools: string;
  #isAnswerWhole = false;
  /** The marks of what was said so far, with the newest answer. */
  #said: string[] = [];
  #signal: AbortSignal | undefined;
  #settleTimer: NodeJS.Timeout | undefined;
  #holdTimer: NodeJS.Timeout | undefined;
  #pingTimer: NodeJS.Timeout | undefined;

  constructor(plan: SessionPlan, options: LanguageModelV4CallOptions, events: ConversationEvents) {
    this.#plan = plan;
    this.#events = events;
    this.#output = plan.output;
    this.#model = plan.modelId;
    this.#tools = JSON.stringify(functionTools(options));
    this.#calls = new OpenCalls((tool) => ownName(tool) !== undefined);
    this.#step = new Step();
    this.#writer = new StepWriter(this.#step, ownName, plan.output !== undefined);
    this.#begin(options);
  }

  get closed(): boolean {
    return this.#state === "closed";
  }

  /** Starts the session. What goes wrong is told by the step. */
  async start(options: LanguageModelV4CallOptions): Promise<Step> {
    const step = this.#step;
    const tools = functionTools(options).map((tool) => heldTool(tool, (call) => this.#hold(call)));
    const session = await ToolSession.start({
      ...this.#plan.session,
      toolset:
        tools.length > 0 ? { name: SERVER, tools, transport: this.#plan.transport } : undefined,
      onToolsMissing: (error) => this.#fail(error),
      onEvent: (event) => {
        tellListener(this.#plan.onMessage, event);
        this.#take(event);
      },
    });
    this.#session = session;
    if (this.#state === "closed") await session.close();
    else session.engine.push({ id: randomUUID(), content: this.#plan.content, verbatim: true });
    return step;
  }

  /**
   * Goes on with the results that the prompt brings. Gives back the step that tells what comes, also when it
   * was asked for before; nothing when this conversation is not the prompt's, or its session is gone.
   */
  async resume(plan: SessionPlan, options: LanguageModelV4CallOptions): Promise<Step | undefined> {
    const marks = digestsOf(options.prompt);
    const again = this.#steps.get(marks.join());
    if (again) return again;
    const fits = this.#said.every((mark, at) => marks[at] === mark) && plan.key === this.#plan.key;
    if (this.#state !== "held" || !fits || !this.#session) return undefined;
    this.#state = "running";
    this.#session.engine.keepAlive(true);
    const step = this.#step;
    this.#begin(options);
    try {
      await this.#adapt(plan, options);
      // Before the results, so that the model gets both in one request.
      const words = newWords(options.prompt);
      if (words.length > 0) {
        this.#session.engine.push({ id: randomUUID(), content: toContent(words), verbatim: true });
      }
      const results = newResults(options.prompt);
      for (const id of this.#calls.waiting) this.#calls.answer(id, results.get(id) ?? noResult);
      this.#settle();
    } catch (error) {
      this.#fail(error);
    }
    return step;
  }

  /** Ends the session. A step that is still told fails with the reason. Idempotent. */
  async close(reason?: unknown): Promise<void> {
    this.#state = "closed";
    this.#clearTimers();
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#step.end(reason ?? errorOf("aborted", "The conversation was ended."));
    await (this.#closing ??= this.#shutDown());
  }

  async #shutDown(): Promise<void> {
    await this.#session?.close();
    this.#events.onClosed();
  }

  #begin({ prompt, abortSignal }: LanguageModelV4CallOptions): void {
    this.#clearTimers();
    const marks = digestsOf(prompt);
    this.#said = marks;
    this.#steps.set(marks.join(), this.#step);
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#signal = abortSignal;
    abortSignal?.addEventListener("abort", this.#abort);
  }

  /** Also while calls are held: then the caller has given up while its tools ran. */
  readonly #abort = (): void => this.#fail(this.#signal?.reason);

  async #adapt({ modelId }: SessionPlan, options: LanguageModelV4CallOptions): Promise<void> {
    if (modelId !== this.#model) {
      await this.#session?.engine.setModel(modelId);
      this.#model = modelId;
    }
    const tools = functionTools(options);
    const wanted = JSON.stringify(tools);
    if (wanted === this.#tools || !this.#session) return;
    await offerTools(
      this.#session,
      tools.map((tool) => heldTool(tool, (call) => this.#hold(call))),
    );
    this.#tools = wanted;
  }

  #hold(context: ToolContext): Promise<unknown> {
    const id = context.toolUseId ?? randomUUID();
    const answer = this.#calls.hold(id, context);
    this.#settle();
    return answer;
  }

  #take(event: EngineEvent): void {
    if (this.#state === "closed") return;
    this.#output?.take(event);
    this.#writer.take(event);
    switch (event.type) {
      case "ready":
        this.#sessionId = event.session_id;
        this.#step.push({
          type: "response-metadata",
          id: event.session_id,
          modelId: event.model,
          timestamp: new Date(),
        });
        break;
      case "tool_use":
        this.#isAnswerWhole = false;
        if (event.tool !== OUTPUT_TOOL) this.#calls.use(event);
        break;
      case "tool_result": {
        const call = this.#calls.finish(event.request_id);
        if (!call) break;
        if (!call.told) this.#writer.callForeign(call.use);
        this.#writer.resultOfForeign(event, call.use.tool);
        break;
      }
      case "usage":
        this.#isAnswerWhole = true;
        this.#tokens.add(event.usage);
        for (const use of this.#calls.takeForeign()) this.#writer.callForeign(use);
        break;
      case "turn_ended":
        void this.#finish(event);
        break;
      case "closed":
        this.#fail(event.error ? fromWire(event.error) : undefined);
        break;
      default:
    }
    this.#settle();
  }

  /** Ends the step as soon as the session cannot go on without the caller. */
  #settle(): void {
    clearTimeout(this.#settleTimer);
    if (this.#state !== "running") return;
    for (const use of this.#calls.takeNew()) this.#writer.callOwn(use);
    if (this.#calls.waiting.length === 0) return;
    if (this.#isAnswerWhole && this.#calls.onlyWaiting) this.#suspend();
    // Claude Code may keep a call back until others are answered.
    else this.#settleTimer = setTimeout(() => this.#suspend(), SETTLE_MS);
  }

  #suspend(): void {
    const calls = this.#calls.waiting;
    this.#state = "held";
    this.#endStep({ unified: "tool-calls", raw: "tool_use" });
    this.#holdTimer = setTimeout(() => void this.close(), this.#plan.holdMs ?? HOLD_MS).unref();
    let pings = 0;
    this.#pingTimer = setInterval(() => this.#calls.ping((pings += 1)), PING_MS).unref();
    // A program that wants no further step ends, and the session with it.
    this.#session?.engine.keepAlive(false);
    this.#events.onHeld(calls);
  }

  #endStep(finishReason: LanguageModelV4FinishReason, turn?: TurnEndedEvent): void {
    this.#writer.closeBlock();
    const step = this.#step;
    const usage = turn ? this.#tokens.takeRest(turn.usage) : this.#tokens.take();
    step.push({ type: "finish", finishReason, usage, providerMetadata: this.#metadata(turn) });
    step.end();
    this.#said = [...this.#said, digestOfAnswer(step.text, step.ownCalls)];
    this.#step = new Step();
    this.#writer.turnTo(this.#step);
  }

  #metadata(turn: TurnEndedEvent | undefined) {
    const told = turn && {
      costUsd: turn.total_cost_usd,
      durationMs: turn.duration_ms,
      turns: turn.model_turns,
      usageByModel: turn.model_usage as never,
      permissionDenials: turn.denials as never,
    };
    return { [PROVIDER]: { sessionId: this.#sessionId, ...told } };
  }

  async #finish(turn: TurnEndedEvent): Promise<void> {
    if (turn.error && !this.#output) return this.#fail(fromWire(turn.error));
    const text = await this.#outputText(turn);
    if (turn.error && text === undefined) return this.#fail(fromWire(turn.error));
    if (text !== undefined) this.#writer.tellWhole(text);
    this.#endStep(finishReasonOf(turn), turn);
    await this.close();
  }

  /** The object as JSON; if there is none, the model's own words, for the caller to judge. */
  async #outputText(turn: TurnEndedEvent): Promise<string | undefined> {
    if (!this.#output) return undefined;
    try {
      return JSON.stringify(await this.#output.read(turn, undefined));
    } catch {
      return turn.error ? undefined : turn.text;
    }
  }

  #fail(error: unknown): void {
    const reason = error ?? errorOf("cli_exited", "The session ended in the middle of a step.");
    void this.close(reason);
  }

  #clearTimers(): void {
    clearTimeout(this.#settleTimer);
    clearTimeout(this.#holdTimer);
    clearInterval(this.#pingTimer);
  }
}

function finishReasonOf({ stop_reason: raw }: TurnEndedEvent): LanguageModelV4FinishReason {
  if (raw === "completed") return { unified: "stop", raw };
  if (raw === "max_output_tokens") return { unified: "length", raw };
  return { unified: raw === "refused" ? "content-filter" : "other", raw };
}
