import { readFileSync } from "node:fs";
import type { ResolveFnOutput, ResolveHookContext } from "node:module";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { isModuleSource } from "./module-syntax.ts";

type Resolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

/** What every file of tools imports: from the user's project, or from this package where the project has none. */
const OURS = /^(?:agent-switchboard|zod)(?:\/|$)/;

/**
 * From now on a user's file loads as shown in our docs, wherever it is: it finds our packages although nothing is
 * installed beside it, and it may be a module in a folder that `npm init -y` made CommonJS.
 */
export function admitUserModules(): void {
  registerHooks({
    resolve: (specifier, context, next) => asWritten(find(specifier, context, next)),
  });
}

function find(specifier: string, context: ResolveHookContext, next: Resolve): ResolveFnOutput {
  try {
    return next(specifier, context);
  } catch (error) {
    if (!OURS.test(specifier) || !isNotFound(error)) throw error;
    // For a call of require(), Node looks beside the file that calls it, whatever parent the context names.
    if (context.conditions.includes("require")) {
      return next(fileURLToPath(import.meta.resolve(specifier)), context);
    }
    return next(specifier, { ...context, parentURL: import.meta.url });
  }
}

function isNotFound(error: unknown): boolean {
  const code: unknown = error instanceof Error && "code" in error && error.code;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}

function asWritten(found: ResolveFnOutput): ResolveFnOutput {
  const { format, url } = found;
  if (format !== "commonjs" && format !== "commonjs-typescript") return found;
  const isOthers = !url.startsWith("file:") || url.includes("/node_modules/");
  if (isOthers || url.endsWith(".cjs") || url.endsWith(".cts")) return found;
  if (!isModuleSource(readFileSync(new URL(url), "utf8"))) return found;
  return { ...found, format: format.replace("commonjs", "module") };
}
