import type { Logger } from "pino";
import { pino } from "pino";
import { redactFields, redactLine } from "./redact-secrets.ts";
import { stderrLines } from "./stderr-lines.ts";

export type { Logger } from "pino";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggerOptions {
  readonly name: string;
  /** Takes precedence over the environment. */
  readonly level?: LogLevel | undefined;
  /** When neither `level` nor SWITCHBOARD_LOG is set: `info` for a program, nothing for a library. */
  readonly fallback?: LogLevel;
}

/**
 * Structured logs as JSON lines on stderr, never on stdout, which belongs to protocols. Each line is written before
 * the call returns, so that none is lost at the end of the process; what stderr does not take is dropped, and never
 * fails the caller. Secrets are replaced, by the name of their field or by their form.
 */
export function createLogger({ name, level, fallback = "silent" }: LoggerOptions): Logger {
  const wanted = level ?? process.env["SWITCHBOARD_LOG"]?.toLowerCase() ?? fallback;
  const logger = pino(
    {
      name,
      level: isLogLevel(wanted) ? wanted : "info",
      formatters: { log: redactFields },
      // The formatter has already described the errors; pino's own serializer would do it again.
      serializers: { err: (described: unknown) => described },
      hooks: { streamWrite: redactLine },
    },
    stderrLines,
  );
  if (!isLogLevel(wanted)) {
    logger.warn(`SWITCHBOARD_LOG is "${wanted}", which is not one of ${logLevels.join(", ")}.`);
  }
  return logger;
}

const isLogLevel = (text: string): text is LogLevel =>
  (logLevels as readonly string[]).includes(text);
