import { compileFunction } from "node:vm";

/** A statement that only a module can have, and that is more than a type. */
const MODULE_STATEMENT =
  /^(?:import\s*["'{*]|import\s+(?!type\b)|export\s*[{*]|export\s+(?!type\b|interface\b|declare\b|=))/m;
const COMMONJS_EXPORT = /^(?:module\.)?exports\b/m;

/**
 * Whether this source is an ES module, whatever its package says. Node asks the same question where a package says
 * nothing. What V8 can run as CommonJS is CommonJS; TypeScript, which V8 cannot parse, is recognised by its
 * statements.
 */
export function isModuleSource(source: string): boolean {
  try {
    compileFunction(source, ["exports", "require", "module"]);
    return false;
  } catch {
    return MODULE_STATEMENT.test(source) && !COMMONJS_EXPORT.test(source);
  }
}
