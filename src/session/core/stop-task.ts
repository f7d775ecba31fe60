import type { Engine } from "../../engine/index.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { StoppedOutcome } from "../../wire/session/answers.ts";
import type { SessionContext } from "./session-context.ts";

/** The CLI names the task of a command when it has run for three seconds. */
const NAMED_WITHIN_MS = 6_000;
/** How long a task may take to end. */
const ENDS_WITHIN_MS = 5_000;

export interface StopTarget {
  readonly request_id?: string | undefined;
  readonly task_id?: string | undefined;
}

/**
 * Ends one running call or one background task; the turn goes on.
 *
 * @throws `unknown_request`; `invalid_params` for a call that waits for a decision; `cli_exited` if the CLI ends now;
 * `timeout`.
 */
export async function stopTask(
  target: StopTarget,
  engine: Engine | undefined,
  { tasks, recorder }: Pick<SessionContext, "tasks" | "recorder">,
): Promise<StoppedOutcome> {
  const { request_id = "", task_id } = target;
  const isOpen = (): boolean => recorder.state.calls.has(request_id);
  const task = (): string | undefined => task_id ?? tasks.taskOf(request_id);
  const isUnnamed = task() === undefined && !tasks.hasEnded(request_id);
  if (isUnnamed && isOpen()) {
    if (recorder.state.pending.has(request_id)) throw waits(request_id);
    const isNamed = await tasks.until(() => task() !== undefined || !isOpen(), NAMED_WITHIN_MS);
    if (!isNamed) return "not_possible";
  }
  const running = task();
  if (running === undefined || !engine || !tasks.isRunning(running)) {
    if (tasks.hasEnded(task_id ?? request_id)) return "too_late";
    throw unknown(target);
  }
  await tell(engine, running);
  if (await tasks.until(() => !tasks.isRunning(running), ENDS_WITHIN_MS)) return "stopped";
  throw errorOf("timeout", `Claude Code has not ended ${running} in ${ENDS_WITHIN_MS / 1000} s.`, {
    hint: "Wait for its end, or send abort to end the turn.",
  });
}

async function tell(engine: Engine, task: string): Promise<void> {
  try {
    await engine.stopTask(task);
  } catch (cause) {
    throw errorOf("cli_exited", "Claude Code ended before it had stopped the task.", {
      cause,
      hint: "It no longer runs: a task ends when Claude Code ends.",
    });
  }
}

const waits = (requestId: string): ClaudeCodeError =>
  errorOf("invalid_params", `${requestId} does not run: it waits for a decision.`, {
    hint: "Refuse it with deny.",
  });

const unknown = ({ request_id, task_id }: StopTarget): ClaudeCodeError =>
  errorOf("unknown_request", `No call or task ${task_id ?? request_id} runs.`, {
    hint: "Use the request_id of a tool_use without a result, or a task_id of background_tasks.",
  });
