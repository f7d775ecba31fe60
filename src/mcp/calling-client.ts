import type { ServerContext } from "@modelcontextprotocol/server";
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { cutText } from "../text/cut-text.ts";
import { isRecord } from "../wire/json.ts";

/** The MCP client that makes a call. */
export interface CallingClient {
  /** What it calls itself, without characters that nobody sees. */
  readonly name: string;
  /** It can show its person a form. */
  readonly showsForms: boolean;
}

/** What a client of an older version of MCP said when it connected. */
export interface ClientOfConnection {
  getClientCapabilities(): unknown;
  getClientVersion(): unknown;
}

const MAX_NAME_CHARS = 60;

/** Since 2026-07-28 each call says who calls; before, the connection did. */
export function callingClient(
  { mcpReq: { envelope } }: Pick<ServerContext, "mcpReq">,
  connection: ClientOfConnection,
): CallingClient {
  const said: Readonly<Record<string, unknown>> = { ...envelope };
  const info = said[CLIENT_INFO_META_KEY] ?? connection.getClientVersion();
  const capabilities = said[CLIENT_CAPABILITIES_META_KEY] ?? connection.getClientCapabilities();
  return { name: nameIn(info), showsForms: showsForms(capabilities) };
}

function nameIn(info: unknown): string {
  const name = isRecord(info) && typeof info["name"] === "string" ? info["name"] : "";
  const seen = name.replaceAll(/\p{C}/gu, "").trim();
  return seen === "" ? "MCP client" : cutText(seen, MAX_NAME_CHARS);
}

/** An empty object has always meant forms. */
function showsForms(capabilities: unknown): boolean {
  const ways = isRecord(capabilities) ? capabilities["elicitation"] : undefined;
  return isRecord(ways) && (isRecord(ways["form"]) || Object.keys(ways).length === 0);
}
