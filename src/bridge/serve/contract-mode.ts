import type { Channel } from "../../net/channel.ts";
import { encodeFrame } from "../../wire/frame.ts";
import type { IPCErrorResponse, IPCResponse } from "../../wire/ipc.ts";
import { parseIpcRequest } from "../../wire/ipc.ts";
import type { Parsed } from "../../wire/payload.ts";
import { failurePayload, unsendableResult } from "../call/failure.ts";
import { sendInTurn } from "./send.ts";
import { textOnly } from "./text-only.ts";
import type { ToolService } from "./tool-service.ts";

type Answer = IPCResponse | IPCErrorResponse;

/**
 * Serves a bridge that knows only the IPC contract: one request, then its answer, then the next. A peer
 * that has ended its side still gets what it asked for.
 */
export async function serveContract(
  first: IteratorResult<Parsed>,
  rest: AsyncIterator<Parsed>,
  channel: Channel<unknown, Parsed>,
  service: ToolService,
): Promise<void> {
  for (let next = first; !next.done; next = await rest.next()) {
    const answered = service.owe();
    try {
      await sendInTurn(channel, encodeAnswer(await answerTo(next.value, service)));
    } finally {
      answered();
    }
  }
}

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
