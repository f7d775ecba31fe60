import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { listen } from "../../net/listen.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { serveConnection } from "../serve/connection.ts";
import type { ToolService } from "../serve/tool-service.ts";
import type { Door } from "./door.ts";
import { takeDirectory } from "./fixed-directory.ts";
import { schemaName, socketName } from "./file-names.ts";
import { writeSchemaFile } from "./schema-file.ts";
import type { StdioServerConfig } from "./stdio-config.ts";
import { requireBridgeProgram, stdioConfig } from "./stdio-config.ts";
import { sweepLeftovers } from "./sweep.ts";

/**
 * A socket, and beside it the file that tells bridge processes which tools to announce. In a directory
 * of the caller's choice both have names that stay: the socket goes with the host, the file waits for
 * the next one, so that sessions keep their tools meanwhile. Elsewhere both go with the host.
 */
export async function openStdioDoor(
  service: ToolService,
  directory: string | undefined,
): Promise<Door<StdioServerConfig>> {
  requireBridgeProgram();
  await sweepLeftovers();
  const id = directory === undefined ? randomUUID() : service.name;
  const listener = await listen({
    ...(directory === undefined ? { name: socketName(id) } : { path: fixedSocket(directory, id) }),
    onConnection: (socket) => void serveConnection(socket, service),
  });
  const schema = join(dirname(listener.path), schemaName(id));
  const announce: Door<unknown>["announce"] = (schemas) =>
    orUnfit(schema, () => writeSchemaFile(schema, schemas));
  try {
    // Not before the socket is ours: the file may belong to a host that lives.
    announce(service.schemas);
  } catch (error) {
    await listener.close();
    throw error;
  }
  return { config: stdioConfig(listener.path, schema), announce, close: () => listener.close() };
}

function fixedSocket(directory: string, id: string): string {
  orUnfit(directory, () => takeDirectory(directory));
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
