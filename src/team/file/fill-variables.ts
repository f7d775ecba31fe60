import type { JsonObject } from "../../wire/json.ts";
import type { McpServerSpec } from "./mcp-server-schema.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** `${NAME}`, and `${NAME:-what else}` for when there is no such variable. */
const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** The variables that a text needs and the environment does not have. */
export function missingVariables(text: string, env: Variables): string[] {
  return [...text.matchAll(VARIABLE)].flatMap(([, name = "", otherwise]) =>
    env[name] === undefined && otherwise === undefined ? [name] : [],
  );
}

const expand = (text: string, env: Variables): string =>
  text.replaceAll(
    VARIABLE,
    (_whole, name: string, otherwise = "") => env[name] ?? String(otherwise),
  );

/**
 * The entry of a server in a session's MCP config, with the values of its variables. They may be secrets: they stand in
 * `env`, `headers` and `url` only, never among a program's arguments, which everybody on the machine can read.
 */
export function serverConfig(server: McpServerSpec, env: Variables): JsonObject {
  const { type, command, args = [], env: variables = {}, url, headers = {} } = server;
  if (url !== undefined) {
    return { type: type ?? "http", url: expand(url, env), headers: expandAll(headers, env) };
  }
  return { type: "stdio", command: command ?? "", args, env: expandAll(variables, env) };
}

const expandAll = (texts: Record<string, string>, env: Variables): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text, env)]));
