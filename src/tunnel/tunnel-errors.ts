import { fromWire, toWire } from "../wire/error-wire.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import { encodeJson, parseJson } from "../wire/json-payload.ts";
import { TunnelRefusalSchema } from "../wire/tunnel.ts";

export const connectionLost = (why: string): ClaudeCodeError =>
  errorOf("connection_lost", `The connection through the tunnel is gone: ${why}.`);

/** What the peer gets that asked for a stream. */
export function encodeRefusal(thrown: unknown): Uint8Array {
  const errno = errnoOf(thrown);
  return encodeJson({ error: toWire(thrown), ...(errno !== undefined && { errno }) });
}

/** The error as the peer threw it, with the system's own error as its cause. */
export function decodeRefusal(body: Uint8Array): ClaudeCodeError {
  const parsed = parseJson(body);
  const checked = TunnelRefusalSchema.safeParse(parsed.ok ? parsed.value : undefined);
  if (!checked.success)
    return errorOf("connection_failed", "The peer refused the connection, and did not say why.");
  const { error, errno } = checked.data;
  const known = fromWire(error);
  if (errno === undefined) return known;
  const cause = Object.assign(new Error(error.message), { code: errno });
  return errorOf(known.code, known.message, {
    cause,
    hint: known.hint,
    ...(known.data && { data: known.data }),
  });
}

function errnoOf(thrown: unknown): string | undefined {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^E[A-Z]+$/.test(code) ? code : undefined;
}
