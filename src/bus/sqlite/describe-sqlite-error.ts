import { systemCode } from "../../files/system-error-code.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { StoreFailure } from "../store.ts";

/** The low byte of SQLite's extended codes. */
const PRIMARY = 0xff;
const codes: Record<number, StoreFailure["code"]> = {
  5: "bus_in_use",
  11: "bus_invalid",
  13: "disk_full",
  26: "bus_invalid",
};

export function failureOf(error: unknown): StoreFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ClaudeCodeError) return { code: error.code, message, hint: error.hint };
  if (systemCode(error) === "ENOSPC")
    return { code: "disk_full", message: `No space: ${message}.` };
  const errcode: unknown = error instanceof Error && "errcode" in error && error.errcode;
  if (typeof errcode === "number") {
    const code = codes[errcode & PRIMARY] ?? "bus_unavailable";
    return { code, message: `The bus's database: ${message} (${errcode}).` };
  }
  return systemCode(error) === undefined
    ? { code: "internal", message }
    : { code: "bus_unavailable", message: `The bus's database: ${message}.` };
}
