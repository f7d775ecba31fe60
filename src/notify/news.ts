import { createHash } from "node:crypto";
import { requestText } from "../client/core.ts";
import { cutText } from "../text/cut-text.ts";
import { showHidden } from "../text/show-hidden.ts";
import { uuidOfDigest } from "../text/uuid-of-digest.ts";
import type { PendingRequest } from "../wire/session/approval-events.ts";

/** What a person is told: once, under one id. All texts are those of agents or models, with nothing hidden in them. */
export interface News {
  /** Follows from what it tells of, so that it is the same after every restart. */
  readonly id: string;
  /** `asked`: a person has to decide. The others: a task, or a turn, has ended. */
  readonly kind: NewsKind;
  readonly at: string;
  /** The team, or the session. */
  readonly where: string;
  /** The agent; in a session of its own, the session. */
  readonly who: string;
  /** One line. */
  readonly title: string;
  /** The whole command, question, plan or answer. */
  readonly text: string;
  /** Of `asked`: the call that waits. */
  readonly request_id?: string;
  readonly tool?: string;
  /** Of a team: the task that has ended. */
  readonly task_id?: string;
}

export type NewsKind = "asked" | "done" | "failed";

/** One that agents' texts belong to. */
export interface Origin {
  /** The team, or the session, for people. */
  readonly where: string;
  /** The same for ids: unlike any other of this machine. */
  readonly key: string;
}

/** Longer texts are cut, and say so. */
const MAX_TEXT_CHARS = 65_536;
const MAX_TITLE_CHARS = 200;

/** The id of what is told about this, in all processes. */
const newsId = ({ key }: Origin, what: "call" | "end", id: string): string =>
  uuidOfDigest(
    createHash("sha256")
      .update(JSON.stringify([key, what, id]))
      .digest(),
    8,
  );

export const callId = (origin: Origin, agent: string, requestId: string): string =>
  newsId(origin, "call", `${agent} ${requestId}`);

/** A person has to decide on this. */
export function newsOfCall(
  origin: Origin,
  agent: string,
  request: PendingRequest,
  at: string,
): News {
  const { title, body } = requestText(request, MAX_TEXT_CHARS);
  return {
    id: callId(origin, agent, request.request_id),
    kind: "asked",
    at,
    where: origin.where,
    who: agent,
    title: oneLine(`${agent} ${title}`),
    text: body,
    request_id: request.request_id,
    ...(request.type === "approval_request" && { tool: oneLine(request.tool) }),
  };
}

/** What has ended, and how. */
export interface End {
  /** The task or turn, in its team or session. */
  readonly id: string;
  readonly agent: string;
  readonly isGood: boolean;
  readonly text: string;
  readonly at: string;
  readonly taskId?: string;
}

/** A task, or a turn, has ended. */
export function newsOfEnd(origin: Origin, { id, agent, isGood, text, at, taskId }: End): News {
  const shown = showHidden(text);
  const rest = shown.length - MAX_TEXT_CHARS;
  return {
    id: newsId(origin, "end", id),
    kind: isGood ? "done" : "failed",
    at,
    where: origin.where,
    who: agent,
    title: oneLine(`${agent} ${isGood ? "is done" : "has failed"}`),
    text:
      rest > 0
        ? `${cutText(shown, MAX_TEXT_CHARS)}\n(${rest} more characters are not shown.)`
        : shown,
    ...(taskId !== undefined && { task_id: taskId }),
  };
}

const oneLine = (text: string): string =>
  cutText(showHidden(text).replaceAll(/\s+/g, " "), MAX_TITLE_CHARS);
