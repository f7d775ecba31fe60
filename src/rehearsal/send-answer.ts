import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { streamEvents } from "./answer-events.ts";
import type { ScriptedFault } from "./answer-schema.ts";
import type { MidwayFault } from "./fail-answers.ts";
import { breakOff, failAtOnce, isMidway } from "./fail-answers.ts";
import type { AnswerMessage, StreamEvent } from "./messages-api.ts";

export interface AnswerDelivery {
  message: AnswerMessage;
  stream: boolean;
  deltaChars: number;
  fault: ScriptedFault | undefined;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
  drawDeltaDelayMs: () => number;
  onFirstDelta: () => void;
  refuse: (forMs: number) => void;
}

/**
 * Sends the answer, or fails as scripted. Resolves when everything was sent or broken off; rejects with an AbortError
 * when the client leaves first.
 */
export async function sendAnswer(
  response: ServerResponse,
  delivery: AnswerDelivery,
): Promise<void> {
  const { fault, stream, message } = delivery;
  if (fault && failAtOnce(response, fault, delivery)) return;
  const content = fault?.kind === "empty" ? [] : message.content;
  const send = stream ? sendStream : sendWhole;
  await send(response, { ...delivery, message: { ...message, content } });
}

async function sendStream(response: ServerResponse, delivery: AnswerDelivery): Promise<void> {
  const { fault, signal, message, deltaChars } = delivery;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let deltas = 0;
  for (const event of streamEvents(message, deltaChars)) {
    const isDelta = event.type === "content_block_delta";
    if (isMidway(fault) && isDue(fault, event, deltas)) break;
    if (isDelta && deltas > 0) await pause(delivery.drawDeltaDelayMs(), undefined, { signal });
    await write(response, serverSentEvent(event), signal);
    if (isDelta) deltas += 1;
    if (isDelta && deltas === 1) delivery.onFirstDelta();
  }
  if (isMidway(fault)) await breakOff(response, fault, signal);
  else response.end();
}

/** Without a stream there are no deltas to count: a fault strikes in the middle of the body. */
async function sendWhole(response: ServerResponse, delivery: AnswerDelivery): Promise<void> {
  const { fault, signal, message } = delivery;
  const json = JSON.stringify(message);
  response.writeHead(200, { "content-type": "application/json" });
  delivery.onFirstDelta();
  if (!isMidway(fault)) {
    response.end(json);
    return;
  }
  await write(response, json.slice(0, json.length / 2), signal);
  await breakOff(response, fault, signal);
}

function serverSentEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** After the given number of deltas, or when there are no more. */
function isDue({ after_deltas }: MidwayFault, { type }: StreamEvent, deltas: number): boolean {
  return type === "message_delta" || (type === "content_block_delta" && deltas >= after_deltas);
}

/** Waits until the text has left the process: breaking off later must not lose it. */
async function write(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", leave);
  response.write(text, () => resolve());
  await promise.finally(() => signal.removeEventListener("abort", leave));
}
