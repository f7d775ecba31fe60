import { channel } from "../../../net/channel.ts";
import { jsonLines } from "../../../net/codec.ts";
import type { Tunnel } from "../../../tunnel/tunnel.ts";
import { check } from "../../../wire/check-message.ts";
import { fromWire } from "../../../wire/error-wire.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { HostAnswer, HostRequest } from "../../../wire/host.ts";
import { hostAnswers, HostReplySchema } from "../../../wire/host.ts";
import type { Parsed } from "../../../wire/json-payload.ts";

type RequestOf<Type> = Extract<HostRequest, { type: Type }>;

/**
 * Asks a host for something. Each request has a stream of its own, so that the host hears when it is given up.
 *
 * @throws the host's error; `connection_failed`, `connection_lost`; the signal's reason.
 */
export async function askHost<const Type extends HostRequest["type"]>(
  tunnel: Pick<Tunnel, "open">,
  request: RequestOf<Type> & { readonly type: Type },
  signal: AbortSignal,
): Promise<HostAnswer<Type>> {
  const stream = await tunnel.open({ kind: "request" }, signal);
  const lines = channel<unknown, Parsed>(stream, jsonLines);
  const giveUp = (): void => void stream.destroy();
  signal.addEventListener("abort", giveUp);
  if (signal.aborted) giveUp();
  try {
    await lines.send(request);
    for await (const parsed of lines) {
      if (!parsed.ok) throw parsed.error;
      return answerIn(request.type, parsed.value);
    }
    throw errorOf("connection_lost", "The host went away before it answered.");
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
    stream.destroy();
  }
}

function answerIn<const Type extends HostRequest["type"]>(
  type: Type,
  value: unknown,
): HostAnswer<Type> {
  const reply = check(HostReplySchema, value, "reply");
  if (!reply.ok) throw reply.error;
  if ("error" in reply.value) throw fromWire(reply.value.error);
  const answer = check(hostAnswers[type], reply.value.answer, type);
  if (!answer.ok) throw answer.error;
  return answer.value as HostAnswer<Type>;
}
