import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { composeMessage } from "./answer-events.ts";
import { describeRequest } from "./describe-request.ts";
import { explainMiss } from "./explain-miss.ts";
import type { Outcome } from "./journal.ts";
import { errorBody, apiFailureOf, estimateTokens } from "./messages-api.ts";
import type { Choice } from "./play.ts";
import { readRequest } from "./read-request.ts";
import type { RequestView } from "./request-view.ts";
import { viewRequest } from "./request-view.ts";
import type { ModelRoute } from "./route.ts";
import { sendAnswer, sendJson } from "./send-answer.ts";
import type { Stage } from "./stage.ts";

type Result = Omit<Outcome, "at">;

const defaultDeltaChars = 16;

/** Answers what a client of the Messages API may ask, and enters question and outcome in the journal. */
export async function serveModel(
  stage: Stage,
  route: ModelRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.on("close", () => left.abort());
  const read = await readRequest(route, request);
  const view =
    read.body && viewRequest(read.body, { agent: route.agent, headers: request.headers });
  const id = stage.journal.open(describeRequest(stage.play, route, request, view));
  try {
    if (read.status !== 200) stage.journal.close(id, reject(response, read));
    else if (!view) stage.journal.close(id, reply(response, { message: "hello" }));
    else if (route.to === "count_tokens") {
      stage.journal.close(id, reply(response, { input_tokens: estimateTokens(view.body) }));
    } else stage.journal.close(id, await perform(stage, id, view, response, left.signal));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    stage.journal.close(id, { result: "no_rule", detail });
    throw error;
  }
}

function reply(response: ServerResponse, body: unknown): Result {
  sendJson(response, 200, body);
  return { result: "answered", status: 200 };
}

function reject(
  response: ServerResponse,
  { status, problem }: { status: number; problem: string },
): Result {
  sendJson(response, status, errorBody(apiFailureOf(status).type, problem));
  return { result: "rejected", status, detail: problem };
}

/** One answer from the script, from the choice of the rule to the last byte. */
async function perform(
  stage: Stage,
  id: number,
  view: RequestView,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<Result> {
  const { play } = stage;
  let choice: Choice | undefined;
  let problem = "";
  try {
    choice = await play.choose(view);
    problem = choice ? "" : explainMiss(play, view);
  } catch (error) {
    problem = `The script threw: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!choice) return { ...reject(response, { status: 400, problem }), result: "no_rule" };

  const { answer, rule } = choice;
  const message = composeMessage(answer, view.body, play);
  const facts = {
    rule,
    message_id: message.id,
    tool_use_ids: message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    ...(answer.fault && { fault: answer.fault.kind }),
  };
  try {
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
    if (response.writableEnded && !response.writableFinished)
      await once(response, "finish", { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    return { result: "client_left", ...facts };
  }
  if (answer.fault) return { result: "fault", status: response.statusCode, ...facts };
  play.advance(view);
  return { result: "answered", status: response.statusCode, ...facts };
}
