import { baseVariables, sessionVariables } from "./inherited-variables.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

interface EnvironmentRequest {
  /** Which variables may be inherited; `baseVariables` by default. */
  allow?: readonly string[];
  /** Set on top, without a check; `undefined` removes a variable. */
  extra?: Environment;
  source?: Environment;
}

/**
 * The environment of a child: only what is allowed by name, so that a secret in the user's shell does not reach a
 * program that does not need it.
 */
export function childEnvironment(request: EnvironmentRequest = {}): Record<string, string> {
  const { allow = baseVariables, extra = {}, source = process.env } = request;
  const inherited = Object.entries(source).filter(
    ([name]) => matches(name, allow) && !matches(name, sessionVariables),
  );
  return withoutUnset({ ...Object.fromEntries(inherited), ...extra });
}

/** Node writes an unset variable as the word "undefined"; here it is absent. */
export function withoutUnset(environment: Environment): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined) set[name] = value;
  }
  return set;
}

const matches = (name: string, list: readonly string[]): boolean =>
  list.some((entry) =>
    entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
