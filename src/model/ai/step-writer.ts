import type { LanguageModelV4ToolResult } from "@ai-sdk/provider";
import type { EngineEvent, ToolResultEvent, ToolUseEvent } from "../../engine/index.ts";
import type { OutputReader } from "../structured-output.ts";
import { OUTPUT_TOOL } from "../structured-output.ts";
import { ObjectText } from "./object-text.ts";
import type { ModelStep } from "./step.ts";

/** The id of the text block for an object; the session's own blocks have other ids. */
const OBJECT = -1;

/** Writes a session's events as parts of a step. `turnTo` changes the step. */
export class StepWriter {
  readonly #ownName: (tool: string) => string | undefined;
  readonly #output: OutputReader | undefined;
  #object: ObjectText | undefined;
  #step: ModelStep;
  #open: { id: string; kind: "text" | "reasoning" } | undefined;
  readonly #inputs = new Set<string>();

  /**
   * @param ownName the caller's name of a tool, if it is the caller's.
   * @param output what is wanted in place of the model's text.
   */
  constructor(
    step: ModelStep,
    ownName: (tool: string) => string | undefined,
    output: OutputReader | undefined,
  ) {
    this.#step = step;
    this.#ownName = ownName;
    this.#output = output;
    this.turnTo(step);
  }

  turnTo(step: ModelStep): void {
    this.#step = step;
    this.#object = this.#output && new ObjectText((key) => this.#output?.hasKey(key) === true);
    this.#inputs.clear();
  }

  take(event: EngineEvent): void {
    if ("parent" in event && event.parent !== undefined) return;
    switch (event.type) {
      case "text_delta":
        if (!this.#output) this.#tell("text", event.block, event.text);
        break;
      case "thinking_delta":
        this.#tell("reasoning", event.block, event.text);
        break;
      case "retracted":
        if ("request_id" in event) {
          this.#endInput(event.request_id);
          break;
        }
        this.closeBlock();
        this.#step.push({ type: "retracted", id: String(event.block) });
        break;
      case "tool_input_delta":
        this.#tellInput(event.request_id, event.tool, event.partial_json);
        break;
      case "tool_use":
        if (event.tool !== OUTPUT_TOOL) this.#endInput(event.request_id);
        break;
      default:
    }
  }

  /** A call of the caller's tool: the caller has to answer it. */
  callOwn({ request_id: toolCallId, tool, input }: ToolUseEvent): void {
    const toolName = this.#ownName(tool) ?? tool;
    this.#step.push({ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) });
  }

  /** A call that Claude Code answers itself. */
  callForeign({ request_id: toolCallId, tool: toolName, input }: ToolUseEvent): void {
    const call = { toolCallId, toolName, input: JSON.stringify(input) };
    this.#step.push({ type: "tool-call", ...call, providerExecuted: true, dynamic: true });
  }

  resultOfForeign(
    { request_id: toolCallId, output, is_error }: ToolResultEvent,
    toolName: string,
  ): void {
    const result = (output ?? "") as LanguageModelV4ToolResult["result"];
    const part = { type: "tool-result", toolCallId, toolName, result, dynamic: true } as const;
    this.#step.push({ ...part, ...(is_error && { isError: true }) });
  }

  /** Writes the requested object. Returns false when another was streamed that cannot become it. */
  finishObject(object: unknown): boolean {
    const rest = this.#object?.finish(object);
    if (rest !== undefined) this.#tell("text", OBJECT, rest);
    return rest !== undefined;
  }

  /** Writes the model's text, in place of an object that did not come. */
  tellWords(text: string): void {
    this.#tell("text", OBJECT, text);
  }

  closeBlock(): void {
    if (!this.#open) return;
    this.#step.push({ type: `${this.#open.kind}-end`, id: this.#open.id });
    this.#open = undefined;
  }

  #tell(kind: "text" | "reasoning", block: number, delta: string): void {
    const id = String(block);
    if (this.#open?.id !== id || this.#open.kind !== kind) {
      this.closeBlock();
      this.#open = { id, kind };
      this.#step.push({ type: `${kind}-start`, id });
    }
    if (delta !== "") this.#step.push({ type: `${kind}-delta`, id, delta });
  }

  #tellObject(id: string, delta: string): void {
    const text = this.#object?.take(id, delta) ?? "";
    if (text !== "") this.#tell("text", OBJECT, text);
  }

  #tellInput(id: string, tool: string, delta: string): void {
    if (tool === OUTPUT_TOOL) return this.#tellObject(id, delta);
    this.closeBlock();
    if (!this.#inputs.has(id)) {
      this.#inputs.add(id);
      const own = this.#ownName(tool);
      const foreign = own === undefined && ({ providerExecuted: true, dynamic: true } as const);
      this.#step.push({ type: "tool-input-start", id, toolName: own ?? tool, ...foreign });
    }
    this.#step.push({ type: "tool-input-delta", id, delta });
  }

  #endInput(id: string): void {
    this.closeBlock();
    if (this.#inputs.delete(id)) this.#step.push({ type: "tool-input-end", id });
  }
}
