import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { composeMessage } from "./answer-events.ts";
import { describeRequest } from "./describe-request.ts";
import { explainMiss } from "./explain-miss.ts";
import type { RequestOutcome } from "./journal.ts";
import type { AnswerMessage } from "./messages-api.ts";
import { apiFailureOf, errorBody, estimateTokens } from "./messages-api.ts";
import type { ScriptedChoice, Play } from "./play-script.ts";
import { readRequest } from "./read-request.ts";
import type { RequestView } from "./request-view.ts";
import { viewRequest } from "./request-view.ts";
import type { ModelRoute } from "./route-of-path.ts";
import { sendAnswer } from "./send-answer.ts";
import { sendJson } from "./send-json.ts";
import type { RehearsalContext } from "./rehearsal-context.ts";

type Result = Omit<RequestOutcome, "at">;

const defaultDeltaChars = 16;

/** Answers requests of a Messages API client, and records request and outcome in the journal. */
export async function serveModel(
  stage: RehearsalContext,
  route: ModelRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.on("close", () => left.abort());
  const { agent } = route;
  const read = await readRequest(route, request);
  const view = read.body && viewRequest(read.body, { agent, headers: request.headers });
  const id = stage.journal.open(describeRequest(stage.play, route, request, view));
  const respond = (): Result | Promise<Result> => {
    if (read.status !== 200) return refuse(response, read.status, read.problem);
    if (!view) return reply(response, { message: "hello" });
    if (route.to === "messages") return perform(stage, { id, view, response, signal: left.signal });
    return reply(response, { input_tokens: estimateTokens(view.body) });
  };
  try {
    stage.journal.close(id, await respond());
  } catch (error) {
    stage.journal.close(id, { result: "no_rule", detail: messageOf(error) });
    throw error;
  }
}

function reply(response: ServerResponse, body: unknown): Result {
  sendJson(response, 200, body);
  return { result: "answered", status: 200 };
}

function refuse(response: ServerResponse, status: number, detail: string): Result {
  sendJson(response, status, errorBody(apiFailureOf(status).type, detail));
  return { result: "rejected", status, detail };
}

interface Scene {
  id: number;
  view: RequestView;
  response: ServerResponse;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
}

/** One answer from the script, from the choice of the rule to the last byte. */
async function perform(stage: RehearsalContext, scene: Scene): Promise<Result> {
  const { play } = stage;
  const { view, response, signal } = scene;
  const choice = await choose(play, view);
  if (typeof choice === "string") return { ...refuse(response, 400, choice), result: "no_rule" };

  const { answer, rule } = choice;
  const message = composeMessage(answer, view.body, play);
  const facts = {
    rule,
    message_id: message.id,
    tool_use_ids: message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    ...(answer.fault && { fault: answer.fault.kind }),
  };
  try {
    await deliver(stage, play, choice, message, scene);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { result: "client_left", ...facts };
  }
  if (answer.fault) return { result: "fault", status: response.statusCode, ...facts };
  play.advance(view);
  return { result: "answered", status: response.statusCode, ...facts };
}

/** The script's answer, or why there is none. */
async function choose(play: Play, view: RequestView): Promise<ScriptedChoice | string> {
  try {
    return (await play.choose(view)) ?? explainMiss(play, view);
  } catch (error) {
    return `The script threw: ${messageOf(error)}`;
  }
}

async function deliver(
  stage: RehearsalContext,
  play: Play,
  { answer }: ScriptedChoice,
  message: AnswerMessage,
  { id, view, response, signal }: Scene,
): Promise<void> {
  await pause(play.draw(answer.delay_ms), undefined, { signal });
  await sendAnswer(response, {
    message,
    stream: view.body.stream === true,
    deltaChars: answer.delta_chars ?? defaultDeltaChars,
    fault: answer.fault,
    signal,
    drawDeltaDelayMs: () => play.draw(answer.delta_delay_ms),
    onFirstDelta: () => stage.journal.record({ type: "first_delta", id }),
    refuse: (forMs) => stage.refuse(forMs),
  });
  const isOnItsWay = response.writableEnded && !response.writableFinished;
  if (isOnItsWay) await once(response, "finish", { signal });
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
