import type { Duplex } from "node:stream";
import { channel } from "../../../net/channel.ts";
import { jsonLines } from "../../../net/codec.ts";
import { check } from "../../../wire/check-message.ts";
import { toWire } from "../../../wire/error-wire.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { HostAnswer, HostRequest } from "../../../wire/host.ts";
import { HostRequestSchema } from "../../../wire/host.ts";
import type { Parsed } from "../../../wire/json-payload.ts";

/** What a host does for each request. The signal is aborted when the team gives the request up. */
export type RequestHandlers = {
  readonly [Type in HostRequest["type"]]: (
    request: Extract<HostRequest, { type: Type }>,
    signal: AbortSignal,
  ) => Promise<HostAnswer<Type>>;
};

/** Answers the one request of a stream. It never throws: what goes wrong is the answer. */
export async function answerRequest(stream: Duplex, handlers: RequestHandlers): Promise<void> {
  const lines = channel<unknown, Parsed>(stream, jsonLines);
  const gone = new AbortController();
  stream.once("close", () => gone.abort(errorOf("aborted", "The team gave the request up.")));
  try {
    for await (const parsed of lines) {
      const reply = await answer(parsed, handlers, gone.signal).catch((error: unknown) => ({
        error: toWire(error),
      }));
      if (!gone.signal.aborted) await lines.send(reply);
      break;
    }
  } catch {
    // The team does not hear the answer any more.
  } finally {
    await lines.close();
  }
}

async function answer(parsed: Parsed, handlers: RequestHandlers, signal: AbortSignal) {
  if (!parsed.ok) throw parsed.error;
  const request = check(HostRequestSchema, parsed.value, "request");
  if (!request.ok) throw request.error;
  const handle = handlers[request.value.type] as (
    request: HostRequest,
    signal: AbortSignal,
  ) => Promise<object>;
  return { answer: await handle(request.value, signal) };
}
