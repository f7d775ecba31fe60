import { expect, test } from "vitest";
import * as files from "./ipc-files.ts";
import { MAX_MESSAGE_BYTES } from "./json-payload.ts";

// Literals: foreign parents and bridges rely on these very values.
test("the constants of the IPC contract", () => {
  expect({ ...files }).toEqual({
    transportTypes: ["auto", "stdio", "sdk"],
    DEFAULT_TRANSPORT: "auto",
    SOCKET_FILE_PREFIX: "claudecode_ipc_",
    SOCKET_FILE_SUFFIX: ".sock",
    SCHEMA_FILE_PREFIX: "claudecode_ipc_schema_",
    SCHEMA_FILE_SUFFIX: ".json",
    SOCKET_PERMISSIONS: 384,
    SCHEMA_FILE_PERMISSIONS: 384,
    PRIVATE_DIRECTORY_PERMISSIONS: 448,
  });
  expect(MAX_MESSAGE_BYTES).toBe(10_485_760);
});
