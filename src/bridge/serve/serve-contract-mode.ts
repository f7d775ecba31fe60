import type { Channel } from "../../net/channel.ts";
import { encodeFrame } from "../../wire/frame.ts";
import type { IPCErrorResponse, IPCResponse } from "../../wire/ipc.ts";
import { parseIpcRequest } from "../../wire/ipc.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import { failurePayload, unsendableResult } from "../call/describe-failure.ts";
import { sendInTurn } from "./send-in-turn.ts";
import { textOnly } from "./describe-as-text-only.ts";
import type { ToolService } from "./tool-service.ts";

type Answer = IPCResponse | IPCErrorResponse;

/**
 * Serves a bridge that knows only the IPC contract: one request, then its answer, then the next. A peer that has
 * ended its side still gets its answer. A peer that sends a second request before the answer would mix up the two: it
 * gets an error, and the connection ends.
 */
export async function serveContract(
  first: IteratorResult<Parsed>,
  rest: AsyncIterator<Parsed>,
  channel: Channel<unknown, Parsed>,
  service: ToolService,
): Promise<void> {
  for (let next = first; !next.done;) {
    const answered = service.openRequest();
    const following = rest.next();
    try {
      const answer = await Promise.race([answerTo(next.value, service), untilOverlap(following)]);
      await sendInTurn(channel, encodeAnswer(answer ?? failure(tooSoon())));
      if (!answer) return;
    } finally {
      answered();
    }
    next = await following;
  }
}

/** Resolves when another request has come; not at the end of the connection. */
async function untilOverlap(following: Promise<IteratorResult<Parsed>>): Promise<undefined> {
  const ended = await following.then(
    ({ done }) => done === true,
    () => true,
  );
  if (ended) await new Promise<never>(() => {});
}

const tooSoon = (): ClaudeCodeError =>
  errorOf("invalid_request", "A second request came before the answer to the first.", {
    hint: "One request at a time on a connection. The first call may have run; the connection is closed.",
  });

async function answerTo(message: Parsed, service: ToolService): Promise<Answer> {
  const request = message.ok ? parseIpcRequest(message.value) : message;
  if (!request.ok) return failure(request.error);
  const { name, arguments: args } = request.value.params;
  const outcome = await service.call({ name, args });
  return outcome.ok ? { result: textOnly(outcome.result) } : failure(outcome.error);
}

function encodeAnswer(answer: Answer): Uint8Array {
  try {
    return encodeFrame(answer);
  } catch (cause) {
    return encodeFrame(failure(unsendableResult(cause)));
  }
}

const failure = (error: unknown): IPCErrorResponse => ({ error: failurePayload(error) });
