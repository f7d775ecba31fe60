import type { ModelInfo } from "@anthropic-ai/claude-agent-sdk";
import type { ModelChoice } from "../wire/session/choices.ts";
import { EffortSchema } from "../wire/session/shared-schemas.ts";

/** A model as the CLI offers it to its user. Efforts that only a newer version knows are left out. */
export function modelChoice(info: ModelInfo): ModelChoice {
  const { value, displayName, description, resolvedModel, supportedEffortLevels = [] } = info;
  return {
    id: value,
    label: displayName || value,
    ...(description && { description }),
    ...(resolvedModel && { model: resolvedModel }),
    efforts: supportedEffortLevels.filter((level) => EffortSchema.safeParse(level).success),
  };
}
