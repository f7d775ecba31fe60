import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { listen } from "../../net/listen.ts";
import { makeOwnDirectory } from "../../net/socket-file/own-directory.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";
import { schemaName, socketName } from "./bridge-file-names.ts";
import { writeSchemaFile } from "./write-schema-file.ts";
import type { StdioServerConfig } from "./stdio-config.ts";
import { requireBridgeProgram, stdioConfig } from "./stdio-config.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";

export interface BridgeSocketOptions {
  /** The name of the server; part of the socket's name in `directory`. */
  readonly name: string;
  /** The tools that bridges announce. */
  readonly schemas: readonly ToolSchema[];
  /** Called with each connection of a bridge, before anything is read from it. */
  readonly onBridge: (stream: Duplex) => void;
  /** Where the socket and the schema file lie under names that stay the same. By default a new private directory. */
  readonly directory?: string | undefined;
  /** How long a bridge waits for the next listener in `directory`. */
  readonly waitForHostMs?: number | undefined;
}

/** A socket to which bridge processes connect. */
export interface BridgeSocket {
  /** The entry of `mcpServers` that makes Claude Code start such a bridge. */
  readonly config: StdioServerConfig;
  /** Makes known which tools there are, to bridges that start later. */
  announce(schemas: readonly ToolSchema[]): void;
  /** Ends every connection, after what was sent has arrived. */
  close(): Promise<void>;
}

/**
 * Opens a socket, and writes beside it the file that tells bridge processes which tools to announce. In a
 * directory of the caller's choice both have names that stay: the socket goes when it is closed, the file waits
 * for the next one, so that sessions keep their tools meanwhile. Elsewhere both go.
 *
 * @throws `bridge_startup`; `socket_in_use` and `socket_path_invalid` for the directory.
 */
export async function openBridgeSocket(options: BridgeSocketOptions): Promise<BridgeSocket> {
  const { name, schemas, onBridge, directory, waitForHostMs } = options;
  requireBridgeProgram();
  await sweepLeftovers();
  const id = directory === undefined ? randomUUID() : name;
  const listener = await listen({
    ...(directory === undefined ? { name: socketName(id) } : { path: fixedSocket(directory, id) }),
    onConnection: onBridge,
  });
  const schema = join(dirname(listener.path), schemaName(id));
  const announce: BridgeSocket["announce"] = (announced) =>
    orUnfit(schema, () => writeSchemaFile(schema, announced));
  try {
    // Not before the socket is ours: the file may belong to a host that lives.
    announce(schemas);
  } catch (error) {
    await listener.close();
    throw error;
  }
  const config = stdioConfig(listener.path, schema, waitForHostMs);
  return { config, announce, close: () => listener.close() };
}

function fixedSocket(directory: string, id: string): string {
  try {
    orUnfit(directory, () => makeOwnDirectory(directory));
  } catch (cause) {
    if (!(cause instanceof ClaudeCodeError) || cause.code !== "unsafe_place") throw cause;
    const { message, hint } = cause;
    throw errorOf("bridge_startup", message, { data: { path: directory }, cause, hint });
  }
  return join(directory, socketName(id));
}

function orUnfit(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (cause instanceof ClaudeCodeError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw errorOf("bridge_startup", `The host cannot write ${path}: ${why}.`, {
      data: { path },
      cause,
      hint: "Choose a directory that you may write to, on a disk that has room.",
    });
  }
}
