import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ClaudeCodeError, errorOf } from "../wire/errors.ts";
import { describeFileError } from "../files/describe-file-error.ts";
import type { ScriptFunction } from "./play-script.ts";
import { invalidFile } from "../yaml/file-issue.ts";
import { schemaIssues } from "../yaml/schema-issues.ts";
import type { Script, ScriptInput } from "./script-schema.ts";
import { ScriptSchema } from "./script-schema.ts";
import { utf8Issue } from "../yaml/utf8-issue.ts";
import { YamlSource } from "../yaml/yaml-source.ts";

/**
 * Reads a script: YAML, or a TypeScript or JavaScript module whose default export is the function. Rejects with
 * `script_invalid`, naming file, line and column.
 */
export async function loadScript(file: string): Promise<Script | ScriptFunction> {
  try {
    if (/\.[cm]?[jt]s$/.test(file)) return await importFunction(file);
    const bytes = await readFile(file);
    const issue = utf8Issue(bytes);
    if (issue) throw invalidFile("script_invalid", file, [issue], "Save the script as UTF-8.");
    return parseScript(bytes.toString("utf8"), file);
  } catch (cause) {
    if (cause instanceof ClaudeCodeError) throw cause;
    throw errorOf("script_invalid", `${file}: ${describeFileError(cause)}`, {
      data: { file },
      cause,
      hint: "Name a script that exists and that you may read: YAML, or a module with a function.",
    });
  }
}

async function importFunction(file: string): Promise<ScriptFunction> {
  const module = (await import(pathToFileURL(path.resolve(file)).href)) as { default?: unknown };
  if (typeof module.default === "function") return module.default as ScriptFunction;
  throw errorOf("script_invalid", `${file}: the module has no function as its default export.`, {
    data: { file },
    hint: "Write: export default (request, state) => ({ text: … })",
  });
}

const syntaxHint =
  "Correct the YAML there. Text with ${…}, braces, brackets, commas or colons inside { } needs quotes.";

/** Reads a script in YAML. @throws `script_invalid`, naming `file`, line and column. */
export function parseScript(yamlText: string, file: string): Script {
  const source = new YamlSource(yamlText);
  if (source.syntaxError)
    throw invalidFile("script_invalid", file, [source.syntaxError], syntaxHint);
  const parsed = ScriptSchema.safeParse(source.value ?? {});
  if (!parsed.success) {
    throw invalidFile(
      "script_invalid",
      file,
      schemaIssues(parsed.error, (at) => source.positionOf(at)),
    );
  }
  if (isBlank(source.value)) {
    const message = "There are neither rules nor a default, so nothing would be answered.";
    throw invalidFile("script_invalid", file, [source.issueAt([], message)]);
  }
  return parsed.data;
}

/** A file that was never filled in, or is a different one; an intended empty script has `rules: []`. */
function isBlank(value: unknown): boolean {
  const script = Object(value) as object;
  return !("rules" in script) && !("default" in script);
}

/** Fills in the defaults of a script in code. @throws `script_invalid` */
export function checkScript(script: ScriptInput | ScriptFunction): Script | ScriptFunction {
  if (typeof script === "function") return script;
  const parsed = ScriptSchema.safeParse(script);
  if (parsed.success) return parsed.data;
  throw invalidFile(
    "script_invalid",
    "script",
    schemaIssues(parsed.error, () => undefined),
  );
}
