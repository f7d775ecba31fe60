import type { LanguageModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider";
import type { EngineOptions } from "../../engine/index.ts";

/** Settings of the AI SDK that Claude Code does not support. */
const unsupported = [
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "stopSequences",
  "seed",
] as const;

/** Warns of settings that have no effect. */
export function warningsFor(options: LanguageModelV4CallOptions): SharedV4Warning[] {
  const ignored = unsupported.filter((name) => options[name] !== undefined);
  const warnings = ignored.map((feature): SharedV4Warning => ({ type: "unsupported", feature }));
  if (options.toolChoice?.type === "required" || options.toolChoice?.type === "tool") {
    const only = options.toolChoice.type === "tool" ? "No other tool is offered. " : "";
    const details = `${only}The model chooses by itself whether it calls a tool.`;
    warnings.push({
      type: "unsupported",
      feature: `toolChoice ${options.toolChoice.type}`,
      details,
    });
  }
  for (const tool of options.tools ?? []) {
    if (tool.type !== "provider") continue;
    const details = "Use builtInTools of the provider for the tools of Claude Code.";
    warnings.push({ type: "unsupported", feature: `provider tool ${tool.id}`, details });
  }
  if (options.responseFormat?.type === "json" && !options.responseFormat.schema) {
    const details = "Without a schema the model is only asked to answer with JSON.";
    warnings.push({ type: "compatibility", feature: "JSON without a schema", details });
  }
  return warnings;
}

type Reasoning = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

export function effortOf(
  reasoning: Reasoning | undefined,
): Pick<EngineOptions, "effort" | "thinking"> {
  if (reasoning === undefined || reasoning === "provider-default") return {};
  if (reasoning === "none") return { thinking: { type: "disabled" } };
  return { effort: reasoning === "minimal" ? "low" : reasoning };
}
