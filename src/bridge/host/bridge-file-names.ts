import {
  SCHEMA_FILE_PREFIX,
  SCHEMA_FILE_SUFFIX,
  SOCKET_FILE_PREFIX,
  SOCKET_FILE_SUFFIX,
} from "../../wire/ipc-files.ts";

/** @param id a UUID, or the host's name where the paths must stay the same. */
export const socketName = (id: string): string => `${SOCKET_FILE_PREFIX}${id}${SOCKET_FILE_SUFFIX}`;

export const schemaName = (id: string): string => `${SCHEMA_FILE_PREFIX}${id}${SCHEMA_FILE_SUFFIX}`;

/** The config for programs that read it from a file, in a host's private directory. */
export const MCP_CONFIG_NAME = "mcp.json";
