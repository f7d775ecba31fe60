// Separate from the message schemas, because the bridge process needs these names and must not load zod.

/** How a tool host offers its tools. `auto` is `stdio`. */
export const transportTypes = ["auto", "stdio", "sdk"] as const;
export type TransportType = (typeof transportTypes)[number];
export const DEFAULT_TRANSPORT: TransportType = "auto";

export const SOCKET_FILE_PREFIX = "claudecode_ipc_";
export const SOCKET_FILE_SUFFIX = ".sock";
export const SCHEMA_FILE_PREFIX = "claudecode_ipc_schema_";
export const SCHEMA_FILE_SUFFIX = ".json";

/** Owner only. */
export const SOCKET_PERMISSIONS = 0o600;
export const SCHEMA_FILE_PERMISSIONS = 0o600;
export const PRIVATE_DIRECTORY_PERMISSIONS = 0o700;
