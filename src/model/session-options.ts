import type { Decide, EngineOptions } from "../engine/index.ts";
import { errorOf } from "../wire/errors.ts";
import type { JsonObject } from "../wire/json.ts";
import type { PermissionPolicy, RequestOptions } from "./model-options.ts";
import { vetoOf } from "./parameter-restrictions.ts";

export interface SessionSetting {
  options: RequestOptions;
  /** The conversation's own system messages. */
  system: string | undefined;
  outputSchema?: JsonObject | undefined;
  /** The name of the server that the caller's own tools belong to. */
  toolset?: string | undefined;
}

/**
 * A request's options in the engine's form. Settings of the person and the project are ignored by default, so that a
 * request does the same wherever it runs.
 *
 * @throws `invalid_params` for options that exclude each other.
 */
export function sessionOptions(setting: SessionSetting): EngineOptions {
  const { options, system, outputSchema, toolset } = setting;
  if (options.resume !== undefined && options.continue) {
    throw errorOf("invalid_params", "resume and continue cannot be used together.", {
      hint: "Pass the id of a session, or continue the directory's latest one.",
    });
  }
  if (toolset !== undefined && Object.hasOwn(options.mcpServers ?? {}, toolset)) {
    throw errorOf(
      "invalid_params",
      `The name ${toolset} is used by the server of your own tools.`,
      {
        hint: "Give the server in mcpServers another name.",
      },
    );
  }
  const { model, fallbackModel, maxTurns, maxBudgetUsd, permissionMode, effort, thinking } =
    options;
  const { allowedTools, disallowedTools, builtInTools, mcpServers, env, claudePath, resume } =
    options;
  return {
    cwd: options.cwd ?? process.cwd(),
    decide: decideBy(options.permission ?? "deny"),
    settingSources: options.settingSources ?? [],
    strictMcpConfig: options.settingSources === undefined,
    ...systemPromptOf(options.systemPrompt, system),
    ...withoutUndefined({ model, fallbackModel, maxTurns, maxBudgetUsd, permissionMode, effort }),
    ...withoutUndefined({ thinking, allowedTools, disallowedTools, builtInTools, mcpServers }),
    ...withoutUndefined({ env, claudePath, resume, outputSchema }),
    ...(options.continue && { continueLatest: true }),
    ...(options.parameterRestrictions && { veto: vetoOf(options.parameterRestrictions, toolset) }),
  };
}

/** The conversation's own instructions come after those of the options. */
function systemPromptOf(
  chosen: RequestOptions["systemPrompt"],
  system: string | undefined,
): Pick<EngineOptions, "systemPrompt" | "appendSystemPrompt"> {
  const replace = typeof chosen === "string" ? chosen : undefined;
  const added = [typeof chosen === "object" ? chosen.append : undefined, system];
  const append = added.filter((words) => words !== undefined).join("\n\n");
  return {
    ...(replace !== undefined && { systemPrompt: replace }),
    ...(append !== "" && { appendSystemPrompt: append }),
  };
}

const DENIED =
  "No person can be asked here, and no rule allows this call. Continue without it, or say what you would need.";

function decideBy(policy: PermissionPolicy): Decide {
  if (policy === "allow") return async () => ({ allow: true });
  if (policy === "deny") return async () => ({ allow: false, message: DENIED });
  return policy;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(fields: T): Defined<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}
