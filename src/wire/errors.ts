import type { ErrorCode } from "./error-table.ts";
import { errorTable } from "./error-table.ts";
import type { JsonObject } from "./json.ts";

/**
 * A bundled bridge holds a second copy of this module, so `instanceof` asks for a brand under a global
 * symbol and not for one copy's prototype. The brand holds class names, which each class states as
 * text, because bundlers rename classes.
 */
const brand = Symbol.for("agent-switchboard.error");

export interface ErrorDetails {
  /** Facts for programs, sent along on every wire. Never secrets. */
  data?: JsonObject;
  cause?: unknown;
  /** Replaces the table's hint where more is known. */
  hint?: string;
}

export class ClaudeCodeError extends Error {
  static override readonly name: string = "ClaudeCodeError";

  readonly code: ErrorCode;
  readonly data: JsonObject | undefined;
  readonly hint: string;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.data = details.data;
    this.hint = details.hint ?? errorTable[code].hint;
    this.retryable = errorTable[code].retryable;
    Object.defineProperty(this, brand, { value: lineage(new.target) });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    const names: unknown = typeof value === "object" && value !== null && Reflect.get(value, brand);
    return Array.isArray(names) && names.includes(this.name);
  }
}

export class IPCError extends ClaudeCodeError {
  static override readonly name: string = "IPCError";
}

/** The peer cannot be reached, or went away. */
export class IPCConnectionError extends IPCError {
  static override readonly name: string = "IPCConnectionError";
}

/** A message over the bound of its framing. */
export class IPCMessageSizeError extends IPCError {
  static override readonly name: string = "IPCMessageSizeError";
}

/** A tool's handler threw, or returned something that cannot be sent. */
export class IPCToolExecutionError extends IPCError {
  static override readonly name: string = "IPCToolExecutionError";
}

/** The process that offers the tools did not come up, or came up without them. */
export class BridgeStartupError extends IPCError {
  static override readonly name: string = "BridgeStartupError";
}

export class ToolNotFoundError extends IPCError {
  static override readonly name: string = "ToolNotFoundError";
}

export class ToolsetNotRegisteredError extends IPCError {
  static override readonly name: string = "ToolsetNotRegisteredError";
}

const classes = {
  ClaudeCodeError,
  IPCError,
  IPCConnectionError,
  IPCMessageSizeError,
  IPCToolExecutionError,
  BridgeStartupError,
  ToolNotFoundError,
  ToolsetNotRegisteredError,
} as const;

/** The error of a code, as an instance of the class that the table names for it. */
export function errorOf(code: ErrorCode, message: string, details?: ErrorDetails): ClaudeCodeError {
  return new classes[errorTable[code].type](code, message, details);
}

function lineage(constructor: unknown): string[] {
  const names: string[] = [];
  for (
    let at = constructor;
    typeof at === "function" && at !== Error;
    at = Object.getPrototypeOf(at)
  ) {
    if (at.name) names.push(at.name);
  }
  return names;
}
