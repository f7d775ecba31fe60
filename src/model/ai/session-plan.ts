import type { LanguageModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider";
import type { EngineOptions, MessageContent } from "../../engine/index.ts";
import type { TransportType } from "../../wire/ipc-files.ts";
import type { JsonObject } from "../../wire/json.ts";
import { sessionOptions } from "../session-options.ts";
import { OutputReader, outputValidator } from "../structured-output.ts";
import { TOOLSET } from "../toolset.ts";
import { openingOf } from "./read-prompt.ts";
import type { ClaudeCodeCallOptions, ClaudeCodeSettings } from "./provider-settings.ts";
import { PROVIDER } from "./provider-settings.ts";
import { effortOf, warningsFor } from "./call-settings.ts";

/** How a call of the AI SDK becomes a session, if it needs a new one. */
export interface SessionPlan {
  modelId: string;
  session: EngineOptions;
  content: MessageContent;
  output: OutputReader | undefined;
  transport: TransportType;
  holdMs: number | undefined;
  onMessage: ClaudeCodeSettings["onMessage"] | undefined;
  warnings: SharedV4Warning[];
  requestId: string | undefined;
  /** The session that the call wants to continue. */
  resume: string | undefined;
  /** Differs for calls that one session cannot serve. */
  key: string;
}

const JSON_ONLY = "Answer with one JSON value and nothing else: no prose, no code fence.";

/** The CLI's name for the account's default model. */
const CHOICE_OF_ACCOUNT = "default";

export function planSession(
  modelId: string,
  settings: ClaudeCodeSettings,
  options: LanguageModelV4CallOptions,
): SessionPlan {
  const { transport = "auto", holdMs, maxHeld: _maxHeld, ...rest } = settings;
  const { resume, requestId } = (options.providerOptions?.[PROVIDER] ??
    {}) as ClaudeCodeCallOptions;
  const schema = schemaOf(options);
  const opening = openingOf(options.prompt, resume !== undefined);
  const isJsonWithoutSchema = options.responseFormat?.type === "json" && !schema;
  const system = [opening.system, isJsonWithoutSchema && JSON_ONLY].filter(Boolean).join("\n\n");
  const validator = schema && outputValidator(schema as never);
  return {
    modelId,
    session: sessionOptions({
      options: {
        ...modelMode(settings),
        ...rest,
        ...effortOf(options.reasoning),
        ...(modelId !== CHOICE_OF_ACCOUNT && { model: modelId }),
        ...(resume !== undefined && { resume }),
        env: { ...environmentOf(options), ...settings.env },
      },
      system: system === "" ? undefined : system,
      outputSchema: validator && withoutDialect(validator.schema),
      toolset: TOOLSET,
    }),
    content: opening.content,
    output: validator && new OutputReader(validator),
    // The session belongs to this process, so it needs no bridge process.
    transport: transport === "auto" ? "sdk" : transport,
    holdMs,
    onMessage: settings.onMessage,
    warnings: warningsFor(options),
    requestId,
    resume,
    key: JSON.stringify([schema, options.reasoning, options.maxOutputTokens]),
  };
}

/** The same for a session that knows nothing yet: it gets the whole conversation. */
export function planAnew(plan: SessionPlan, { prompt }: LanguageModelV4CallOptions): SessionPlan {
  const { resume: _resume, ...session } = plan.session;
  return { ...plan, session, content: openingOf(prompt).content };
}

/** Only the caller's tools, and only the caller's prompt. */
const modelMode = ({ builtInTools }: ClaudeCodeSettings) =>
  builtInTools === undefined ? { builtInTools: [], systemPrompt: "" } : {};

function schemaOf({ responseFormat }: LanguageModelV4CallOptions): JsonObject | undefined {
  if (responseFormat?.type !== "json" || !responseFormat.schema) return undefined;
  const { $schema: dialect, ...schema } = responseFormat.schema;
  // Draft-07 is the AI SDK's own. Others are read as the newest.
  return (String(dialect).includes("draft-07") ? responseFormat.schema : schema) as JsonObject;
}

/** It says by which rules to validate, which is done here; Claude Code knows one set of them. */
function withoutDialect({ $schema: _dialect, ...schema }: JsonObject): JsonObject {
  return schema;
}

function environmentOf({ maxOutputTokens }: LanguageModelV4CallOptions): Record<string, string> {
  if (maxOutputTokens === undefined) return {};
  return { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens) };
}
