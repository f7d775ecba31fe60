import { randomUUID } from "node:crypto";
import type { LanguageModelV4CallOptions, LanguageModelV4FinishReason } from "@ai-sdk/provider";
import type { EngineEvent, TurnEndedEvent } from "../../engine/index.ts";
import { fromWire } from "../../wire/error-wire.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { startDeadline } from "../start-time-limit.ts";
import { tellListener } from "../call-listener.ts";
import { toContent } from "../to-prompt.ts";
import { MetadataReader } from "../request-metadata.ts";
import { heldTooLong, heldTooMany, lostWhileHeld, sessionLost } from "../session-lost-errors.ts";
import type { OutputReader } from "../structured-output.ts";
import { cannotBecome, OUTPUT_TOOL } from "../structured-output.ts";
import { ToolSession } from "../tool-session.ts";
import { givenName, TOOLSET } from "../toolset.ts";
import { digestOfAnswer, digestsOf } from "./message-digests.ts";
import type { HeldCall } from "./hold-tool-call.ts";
import { functionTools, heldTool } from "./hold-tool-call.ts";
import { OfferedSchemas } from "./offered-schemas.ts";
import { OpenCalls } from "./open-calls.ts";
import { newWords } from "./read-prompt.ts";
import { offerTools } from "./offer-tools.ts";
import { StepWaiters } from "./step-waiters.ts";
import type { SessionPlan } from "./session-plan.ts";
import { HOLD_MS, PROVIDER } from "./provider-settings.ts";
import { ModelStep } from "./step.ts";
import { StepWriter } from "./step-writer.ts";
import { CallerCalls } from "./caller-calls.ts";
import { newResults, noResult } from "./new-tool-results.ts";
import { StepTokens } from "./step-tokens.ts";

/** How long to wait for calls that may not come before others are answered. */
const SETTLE_MS = 1_000;

/** The caller's name of a tool, if it is one of the caller's. */
const ownName = (tool: string): string | undefined => givenName(TOOLSET, tool);

/** What the owner of a conversation wants to know. */
export interface ConversationEvents {
  /** The caller has to answer these calls. */
  onHeld(ids: readonly string[]): void;
  /** The results of these calls are no longer awaited, though the caller may still send them. */
  onLost(ids: readonly string[], error: ClaudeCodeError): void;
  /** Its session has ended. */
  onClosed(): void;
}

/** A step, for one reader. */
export interface ReadStep {
  step: ModelStep;
  /** Stops reading. When no reader is left, the conversation ends. */
  leave: () => void;
}

/**
 * One session behind the steps of one conversation. When its model calls tools of the caller, the calls are held
 * open, the step ends, and the next step brings their results: the same session then continues.
 */
export class ModelConversation {
  readonly #plan: SessionPlan;
  readonly #events: ConversationEvents;
  readonly #output: OutputReader | undefined;
  readonly #calls: OpenCalls;
  readonly #tokens = new StepTokens();
  readonly #writer: StepWriter;
  readonly #metadata: MetadataReader;
  readonly #told = new CallerCalls();
  readonly #schemas = new OfferedSchemas();
  readonly #waiters = new StepWaiters((reason) => this.#fail(reason));
  /** By request. */
  readonly #steps = new Map<string, ModelStep>();
  /** The step that is being streamed, or will be. */
  #step: ModelStep;
  /** The step that was requested last. */
  #asked: ModelStep | undefined;
  #isFinished = false;
  #state: "running" | "held" | "closed" = "running";
  #session: ToolSession | undefined;
  #closing: Promise<void> | undefined;
  #model: string;
  #tools: string;
  #isAnswerWhole = false;
  /** For each message so far, with the newest answer: the digests that it may have. */
  #said: string[][] = [];
  #settleTimer: NodeJS.Timeout | undefined;
  #cancelHold: (() => void) | undefined;

  constructor(plan: SessionPlan, options: LanguageModelV4CallOptions, events: ConversationEvents) {
    this.#plan = plan;
    this.#events = events;
    this.#output = plan.output;
    this.#metadata = new MetadataReader(plan.session);
    this.#model = plan.modelId;
    this.#tools = JSON.stringify(functionTools(options));
    this.#schemas.add(functionTools(options));
    this.#calls = new OpenCalls((tool) => ownName(tool) !== undefined);
    this.#step = new ModelStep();
    this.#writer = new StepWriter(this.#step, ownName, plan.output);
  }

  /** Starts the session when its slot is free. The step reports failures. */
  async start(options: LanguageModelV4CallOptions, isFree: Promise<void>): Promise<ReadStep> {
    const opened = this.#begin(this.#plan, options);
    await isFree;
    const tools = functionTools(options).map((tool) => heldTool(tool, (call) => this.#hold(call)));
    const session = await ToolSession.start({
      ...this.#plan.session,
      toolset:
        tools.length > 0 ? { name: TOOLSET, tools, transport: this.#plan.transport } : undefined,
      onToolsMissing: (error) => this.#fail(error),
      onEvent: (event) => {
        tellListener(this.#plan.onMessage, event);
        this.#take(event);
      },
    });
    this.#session = session;
    if (this.#state === "closed") await session.close();
    else {
      const begun = session.begin({
        id: randomUUID(),
        content: this.#plan.content,
        verbatim: true,
      });
      begun.catch((error: unknown) => this.#fail(error));
    }
    return opened;
  }

  /** The step that this very call received before, from its beginning; not one that leads nowhere. */
  again(plan: SessionPlan, options: LanguageModelV4CallOptions): ReadStep | undefined {
    const step = this.#steps.get(this.#nameOf(plan, options));
    const wasCut = this.#state === "closed" && !this.#isFinished;
    if (!step || step.failed || wasCut || this.#told.hasEdits(options.prompt)) return undefined;
    return this.#read(step, options);
  }

  #read(step: ModelStep, { abortSignal }: LanguageModelV4CallOptions): ReadStep {
    // Waiters for an earlier or a complete step have what they asked for.
    const matters = step === this.#asked && this.#state !== "closed";
    const leave = matters ? this.#waiters.add(abortSignal) : () => {};
    return { step, leave: () => void (step.ended || leave()) };
  }

  /** Empty until the session has reported it. */
  get sessionId(): string {
    return this.#metadata.sessionId;
  }

  waitsFor(calls: readonly string[]): boolean {
    return this.#state === "held" && this.#calls.waiting.some((id) => calls.includes(id));
  }

  /**
   * Continues with the results in the prompt. Returns undefined when this conversation is not the prompt's, or does
   * not wait.
   */
  async resume(
    plan: SessionPlan,
    options: LanguageModelV4CallOptions,
  ): Promise<ReadStep | undefined> {
    if (this.#state !== "held" || !this.#session || !this.#fits(plan, options)) return undefined;
    this.#state = "running";
    this.#session.engine.keepAlive(true);
    const opened = this.#begin(plan, options);
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
    return opened;
  }

  /** Whether the session can continue: with the unchanged conversation, and with these tools. */
  #fits({ key, resume }: SessionPlan, options: LanguageModelV4CallOptions): boolean {
    const marks = digestsOf(options.prompt, this.#told.has);
    return (
      this.#said.every((expected, at) => expected.includes(marks[at] ?? "")) &&
      key === this.#plan.key &&
      [undefined, this.#plan.resume, this.sessionId].includes(resume) &&
      this.#schemas.fits(functionTools(options)) &&
      !this.#told.hasEdits(options.prompt)
    );
  }

  /** The same for equal requests. */
  #nameOf({ key, resume, modelId }: SessionPlan, options: LanguageModelV4CallOptions): string {
    const marks = digestsOf(options.prompt, this.#told.has);
    return JSON.stringify([marks, key, resume, modelId, functionTools(options)]);
  }

  /** Ends a waiting session to make room for others. */
  makeRoom(maxHeld: number): void {
    this.#lose(heldTooMany(maxHeld, this.sessionId));
  }

  #lose(error: ClaudeCodeError): void {
    this.#events.onLost(this.#calls.waiting, error);
    this.#fail(error);
  }

  /** Ends the session. A step that is still being streamed fails with the reason. Idempotent. */
  async close(reason?: unknown): Promise<void> {
    this.#state = "closed";
    this.#clearTimers();
    this.#waiters.clear();
    this.#step.end(reason ?? errorOf("aborted", "The conversation was ended."));
    await (this.#closing ??= this.#shutDown());
  }

  async #shutDown(): Promise<void> {
    await this.#session?.close();
    this.#events.onClosed();
  }

  #begin(plan: SessionPlan, options: LanguageModelV4CallOptions): ReadStep {
    this.#clearTimers();
    this.#said = digestsOf(options.prompt, this.#told.has).map((mark) => [mark]);
    this.#steps.set(this.#nameOf(plan, options), this.#step);
    // They stay while calls are held: a reader that gives up then does so while its tools run.
    this.#waiters.clear();
    this.#asked = this.#step;
    return this.#read(this.#step, options);
  }

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
    this.#schemas.add(tools);
  }

  #hold(call: HeldCall): Promise<unknown> {
    const { id = randomUUID() } = call;
    this.#told.add(id, call);
    const answer = this.#calls.hold(id);
    this.#settle();
    return answer;
  }

  #take(event: EngineEvent): void {
    if (this.#state === "closed") return;
    this.#output?.take(event);
    this.#writer.take(event);
    this.#metadata.take(event);
    switch (event.type) {
      case "ready":
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
        if (this.#state === "held") this.#lose(lostWhileHeld(event.error, this.sessionId));
        else this.#fail(sessionLost(event.error, this.sessionId));
        break;
      default:
    }
    this.#settle();
  }

  /** Ends the step as soon as the session cannot continue without the caller. */
  #settle(): void {
    clearTimeout(this.#settleTimer);
    if (this.#state !== "running") return;
    for (const use of this.#calls.takeNew()) this.#writer.callOwn(use);
    if (this.#calls.waiting.length === 0) return;
    if (this.#isAnswerWhole && this.#calls.onlyWaiting) this.#suspend();
    // Claude Code may hold a call back until others are answered.
    else this.#settleTimer = setTimeout(() => this.#suspend(), SETTLE_MS);
  }

  #suspend(): void {
    const calls = this.#calls.waiting;
    this.#state = "held";
    this.#endStep({ unified: "tool-calls", raw: "tool_use" });
    this.#calls.turnStep();
    const { holdMs = HOLD_MS } = this.#plan;
    this.#cancelHold = startDeadline(holdMs, () => this.#lose(heldTooLong(holdMs, this.sessionId)));
    // A program that wants no further step may exit, and the session with it.
    this.#session?.engine.keepAlive(false);
    this.#events.onHeld(calls);
  }

  #endStep(finishReason: LanguageModelV4FinishReason, turn?: TurnEndedEvent): void {
    this.#writer.closeBlock();
    const step = this.#step;
    const usage = turn ? this.#tokens.takeRest(turn.usage) : this.#tokens.take();
    step.push({ type: "finish", finishReason, usage, providerMetadata: this.#tellMetadata(turn) });
    step.end();
    this.#said.push(step.texts.map((text) => digestOfAnswer(text, step.ownCalls)));
    this.#step = new ModelStep();
    this.#writer.turnTo(this.#step);
  }

  #tellMetadata(turn: TurnEndedEvent | undefined) {
    if (!turn) return { [PROVIDER]: { sessionId: this.sessionId } };
    const { usage: _usage, ...told } = this.#metadata.read(turn);
    return { [PROVIDER]: told as never };
  }

  async #finish(turn: TurnEndedEvent): Promise<void> {
    const error = turn.error && fromWire(turn.error);
    const failure = this.#output ? await this.#tellOutput(this.#output, turn, error) : error;
    if (failure) return this.#fail(failure);
    this.#endStep(finishReasonOf(turn), turn);
    this.#isFinished = true;
    await this.close();
  }

  /** Writes the object; if there is none, the model's own text, for the caller to check. */
  async #tellOutput(
    output: OutputReader,
    turn: TurnEndedEvent,
    error: ClaudeCodeError | undefined,
  ): Promise<ClaudeCodeError | undefined> {
    try {
      const object = await output.read(turn, undefined);
      return this.#writer.finishObject(object) ? undefined : cannotBecome(object);
    } catch {
      if (!error) this.#writer.tellWords(turn.text);
      return error;
    }
  }

  #fail(error: unknown): void {
    void this.close(error);
  }

  #clearTimers(): void {
    clearTimeout(this.#settleTimer);
    this.#cancelHold?.();
  }
}

function finishReasonOf({ stop_reason: raw }: TurnEndedEvent): LanguageModelV4FinishReason {
  if (raw === "completed") return { unified: "stop", raw };
  if (raw === "max_output_tokens") return { unified: "length", raw };
  return { unified: raw === "refused" ? "content-filter" : "other", raw };
}
