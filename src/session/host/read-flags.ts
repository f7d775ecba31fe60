import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { PolicyRule } from "../../wire/policy-rule.ts";
import { readMcpConfigs } from "../files/read-mcp-configs.ts";
import { readUtf8 } from "../files/read-utf8.ts";
import { readPolicy } from "../policy/read-policy.ts";
import type { HostFlags } from "./host-flags.ts";

/** The flags, with the contents of the files that they name. */
export interface ReadFlags {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly addedDirectories: readonly string[];
  /** In the CLI's form: an absolute path, or JSON. */
  readonly settings?: string;
  readonly settingsContent?: JsonObject;
  readonly appendSystemPrompt?: string;
  readonly mcpServers: Record<string, JsonObject>;
  readonly policy?: readonly PolicyRule[];
}

/** @throws `cwd_not_found`, and `invalid_params`, naming the file. */
export function readFlags(flags: HostFlags): ReadFlags {
  const cwd = resolve(flags.cwd);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw errorOf("cwd_not_found", `${cwd} is not a directory.`, { data: { cwd } });
  }
  const prompt = promptOf(flags);
  return {
    cwd,
    addedDirectories: unique((flags.addDir ?? []).map(directoryOf)),
    ...(flags.settings !== undefined && settingsOf(flags.settings)),
    ...(prompt !== "" && { appendSystemPrompt: prompt }),
    mcpServers: readMcpConfigs(flags.mcpConfig ?? []),
    ...(flags.policy !== undefined && { policy: readPolicy(flags.policy) }),
  };
}

function directoryOf(given: string): string {
  const path = resolve(given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw errorOf("invalid_params", `${path} of --add-dir is not a directory.`, {
    data: { path },
    hint: "Name a directory that exists.",
  });
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

function promptOf({ appendSystemPrompt = "", appendSystemPromptFile: file }: HostFlags): string {
  const fromFile = file === undefined ? "" : readText(resolve(file), "--append-system-prompt-file");
  return [appendSystemPrompt, fromFile].filter((part) => part !== "").join("\n\n");
}

function settingsOf(given: string): Pick<ReadFlags, "settings" | "settingsContent"> {
  const isJson = given.trimStart().startsWith("{");
  const settings = isJson ? given : resolve(given);
  const text = isJson ? given : readText(settings, "--settings");
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) throw new Error("it is not a JSON object");
    return { settings, settingsContent: value as JsonObject };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const what = isJson ? "The JSON" : settings;
    throw errorOf("invalid_params", `${what} of --settings cannot be used: ${why}`, { cause });
  }
}

function readText(path: string, flag: string): string {
  try {
    return readUtf8(path);
  } catch (cause) {
    if (cause instanceof ClaudeCodeError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw errorOf("invalid_params", `The file of ${flag} cannot be read: ${why}`, { cause });
  }
}
