import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { errorCodes, errorTable, isErrorCode } from "./error-table.ts";
import {
  BridgeStartupError,
  ClaudeCodeError,
  errorOf,
  IPCConnectionError,
  IPCError,
  IPCMessageSizeError,
  IPCToolExecutionError,
  ToolNotFoundError,
} from "./errors.ts";
import type * as errors from "./errors.ts";

const rows = errorCodes.map((code) => [code, errorTable[code]] as const);

describe("the table", () => {
  test.each(rows)("%s is plausible", (code, row) => {
    expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
    expect(row.type).toMatch(/^[A-Z]\w+Error$/);
    expect(row.http).toBeGreaterThanOrEqual(400);
    expect(row.http).toBeLessThan(600);
    // 64 to 78 are the codes of sysexits.h; 130 is what a shell gives for Ctrl-C.
    expect(row.exit === 130 || (row.exit >= 64 && row.exit <= 78)).toBe(true);
    expect(row.hint).toMatch(/^[A-Z].*\.$/);
  });

  test("its own JSON-RPC numbers lie in the range for servers and are given once", () => {
    const standard = new Set([-32700, -32600, -32601, -32602, -32603]);
    const own = rows.map(([, row]) => row.rpc).filter((number) => !standard.has(number));
    for (const number of own) expect(number).toSatisfy((n: number) => n <= -32000 && n >= -32099);
    expect(new Set(own).size).toBe(own.length);
  });

  // Literals: JSON-RPC and the protocol between agents fix them.
  test("the numbers that others rely on", () => {
    const numbers = Object.fromEntries(rows.map(([code, { rpc }]) => [code, rpc]));
    expect(numbers).toMatchObject({
      parse_error: -32700,
      invalid_request: -32600,
      method_not_found: -32601,
      invalid_params: -32602,
      internal: -32603,
      agent_not_found: -32000,
      timeout: -32001,
      rate_limited: -32002,
    });
  });

  test("only its own keys are codes", () => {
    expect(isErrorCode("timeout")).toBe(true);
    for (const value of ["constructor", "__proto__", "", 1, undefined]) {
      expect(isErrorCode(value)).toBe(false);
    }
  });
});

describe("the classes", () => {
  test.each(rows)("%s is thrown as the class that the table names", (code, row) => {
    const error = errorOf(code, "It failed.");
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(ClaudeCodeError);
    expect(error).toMatchObject({ name: row.type, code, retryable: row.retryable, hint: row.hint });
    expect(error.constructor.name).toBe(row.type);
    expect(String(error)).toBe(`${row.type}: It failed.`);
  });

  test("each is a kind of those above it and of no other", () => {
    const lost = errorOf("connection_lost", "x");
    expect(lost).toBeInstanceOf(IPCConnectionError);
    expect(lost).toBeInstanceOf(IPCError);
    for (const other of [
      IPCMessageSizeError,
      IPCToolExecutionError,
      BridgeStartupError,
      ToolNotFoundError,
    ]) {
      expect(lost).not.toBeInstanceOf(other);
    }
    expect(errorOf("internal", "x")).not.toBeInstanceOf(IPCError);
    for (const value of [new Error("x"), {}, null, undefined, "x"]) {
      expect(value).not.toBeInstanceOf(ClaudeCodeError);
    }
  });

  test("details replace the hint and keep data and cause", () => {
    const cause = new Error("below");
    const error = errorOf("timeout", "x", { data: { a: 1 }, cause, hint: "Look below." });
    expect(error).toMatchObject({ data: { a: 1 }, cause, hint: "Look below." });
    expect("cause" in errorOf("timeout", "x")).toBe(false);
  });

  test("a subclass of one's own goes by its own name", () => {
    class QuotaError extends IPCError {}
    const error = new QuotaError("rate_limited", "x");
    expect(error.name).toBe("QuotaError");
    expect(error).toBeInstanceOf(QuotaError);
    expect(error).toBeInstanceOf(IPCError);
    expect(errorOf("parse_error", "x")).not.toBeInstanceOf(QuotaError);
  });
});

async function minifiedCopy(): Promise<typeof errors> {
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/errors.ts`],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2020",
    write: false,
  });
  return (await import(
    `data:text/javascript;base64,${toBase64(outputFiles[0]!.text)}`
  )) as typeof errors;
}

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");

async function secondCopy(): Promise<typeof errors> {
  const path = "./errors.ts?copy";
  return (await import(path)) as typeof errors;
}

describe.each([
  ["a second copy of the module", secondCopy],
  ["a bundled and minified copy", minifiedCopy],
])("%s", (_, load) => {
  test("recognises our errors, and we recognise its", async () => {
    const other = await load();
    expect(other.ClaudeCodeError).not.toBe(ClaudeCodeError);
    const theirs = other.errorOf("message_too_large", "x");
    const ours = errorOf("message_too_large", "x");
    expect(theirs.name).toBe("IPCMessageSizeError");
    for (const error of [theirs, ours]) {
      for (const copy of [{ IPCMessageSizeError, IPCError, IPCConnectionError }, other]) {
        expect(error instanceof copy.IPCMessageSizeError).toBe(true);
        expect(error instanceof copy.IPCError).toBe(true);
        expect(error instanceof copy.IPCConnectionError).toBe(false);
      }
    }
  });
});
