import type * as z from "zod";
import type { SchemaSource } from "../bridge/tool/choose-validator.ts";
import type { Tool } from "../bridge/index.ts";
import { ToolSet } from "../bridge/tool/tool-set.ts";
import type { EngineEvent, TurnEndedEvent } from "../engine/index.ts";
import { createLogger } from "../log/logger.ts";
import { fromWire } from "../wire/error-wire.ts";
import type { ErrorCode } from "../wire/error-table.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import { DEFAULT_TRANSPORT } from "../wire/ipc-files.ts";
import type { ModelMessage } from "./to-prompt.ts";
import { toPrompt } from "./to-prompt.ts";
import type { ModelOptions, RequestOptions, ToolsetOptions } from "./model-options.ts";
import type { RequestSetting } from "./run-request.ts";
import { runRequest } from "./run-request.ts";
import type { RequestMetadata } from "./request-metadata.ts";
import { MetadataReader } from "./request-metadata.ts";
import { OutputReader, outputValidator } from "./structured-output.ts";
import type { Toolset } from "./toolset.ts";
import { TOOLSET } from "./toolset.ts";

const log = createLogger({ name: "model" });

/** What the model answered. */
export interface ModelResponse<Output = undefined> {
  text: string;
  /** The object that the request's `output` asked for. */
  output: Output;
}

export interface ResponseWithMetadata<Output = undefined> extends ModelResponse<Output> {
  metadata: RequestMetadata;
}

/** The type that the schema makes of the answer. */
export type OutputOf<Source> = Source extends z.core.$ZodType
  ? z.output<Source>
  : Source extends object
    ? unknown
    : undefined;

type Messages = string | readonly ModelMessage[];

/**
 * Claude Code behind the interface of a model. Each request is a session of its own, with a tool host of its own, and
 * leaves nothing behind; any number of them may run at once.
 */
export class ClaudeCodeModel {
  readonly #defaults: ModelOptions;
  #toolset: Toolset | undefined;

  constructor(defaults: ModelOptions = {}) {
    this.#defaults = defaults;
  }

  /**
   * The functions that later requests may call; replaces earlier ones.
   *
   * @throws `tool_invalid` when two tools have one name.
   */
  setAgentToolsets(tools: readonly Tool[], options: ToolsetOptions = {}): void {
    const { name = TOOLSET, transport = DEFAULT_TRANSPORT } = options;
    // Throws for names that clash, here rather than in the middle of a request.
    void new ToolSet(tools);
    if (this.#toolset) log.warn("Tools were already registered. The new ones replace them.");
    this.#toolset = { name, transport, tools: [...tools] };
  }

  /** The model's answer. @throws a typed error when there is none. */
  async request<const Output extends SchemaSource | undefined = undefined>(
    messages: Messages,
    options: RequestOptions & { output?: Output } = {},
  ): Promise<ModelResponse<OutputOf<Output>>> {
    const { text, output } = await this.requestWithMetadata(messages, options);
    return { text, output };
  }

  /** The same, with its cost and other metadata. */
  async requestWithMetadata<const Output extends SchemaSource | undefined = undefined>(
    messages: Messages,
    options: RequestOptions & { output?: Output } = {},
  ): Promise<ResponseWithMetadata<OutputOf<Output>>> {
    const setting = this.#prepare(messages, options);
    const reader = setting.validator && new OutputReader(setting.validator);
    const { resume, continue: continueLatest = false, env } = setting.options;
    const metadata = new MetadataReader({ resume, continueLatest, env });
    let turn: TurnEndedEvent | undefined;
    for await (const event of runRequest(setting)) {
      reader?.take(event);
      metadata.take(event);
      if (event.type === "turn_ended") turn = event;
    }
    if (!turn) throw errorOf("execution_failed", "Claude Code ended without an answer.");
    const failure = failureOf(turn);
    if (failure && !reader) throw failure;
    const output = (await reader?.read(turn, failure)) as OutputOf<Output>;
    return { text: turn.text, output, metadata: metadata.read(turn) };
  }

  /**
   * The events of the request, as they happen. Leaving the loop early ends the request.
   *
   * @throws after the last event, the error of a failed turn.
   */
  async *streamMessages(
    messages: Messages,
    options: RequestOptions = {},
  ): AsyncGenerator<EngineEvent, void> {
    for await (const event of runRequest(this.#prepare(messages, options))) {
      yield event;
      const failure = event.type === "turn_ended" ? failureOf(event) : undefined;
      if (failure) throw failure;
    }
  }

  #prepare(messages: Messages, given: RequestOptions) {
    const options: RequestOptions = { ...this.#defaults, ...given };
    const validator = options.output && outputValidator(options.output);
    const setting: RequestSetting = {
      prompt: toPrompt(messages),
      toolset: this.#chooseTools(options.tools),
      options,
      ...(validator && { outputSchema: validator.schema }),
    };
    return { ...setting, validator };
  }

  #chooseTools(names: readonly string[] | undefined): Toolset | undefined {
    if (!names) return this.#toolset;
    if (!this.#toolset) {
      throw errorOf(
        "toolset_not_registered",
        `No tools are registered, yet the request names ${names.join(", ")}.`,
      );
    }
    const all = new ToolSet(this.#toolset.tools);
    return { ...this.#toolset, tools: [...new Set(names)].map((name) => all.get(name)) };
  }
}

/** Stop reasons that the engine reports without an error. */
const codeOfReason: Partial<Record<TurnEndedEvent["stop_reason"], ErrorCode>> = {
  refused: "model_refusal",
  max_output_tokens: "max_output_tokens",
};

function failureOf({ error, stop_reason }: TurnEndedEvent): ClaudeCodeError | undefined {
  if (error) return fromWire(error);
  if (stop_reason === "completed") return undefined;
  return errorOf(codeOfReason[stop_reason] ?? "aborted", `The turn ended early: ${stop_reason}.`);
}
