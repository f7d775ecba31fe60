import { claudeConfig } from "../../claude-config/claude-config.ts";
import { settlesWithin } from "../../time/time-limit.ts";
import type { StartOptions } from "../engine.ts";
import { Engine } from "../engine.ts";
import { usableCli } from "../choose-cli.ts";
import { parkCall, unparkCalls } from "./park-call.ts";
import type { RecoveryPath, RecoveryPlan, Unfinished } from "./plan-recovery.ts";
import { planRecovery } from "./plan-recovery.ts";
import type { Transcript } from "./transcript.ts";
import { findTranscript, readTranscript } from "./transcript.ts";

/** The CLI asks about a parked call as soon as it is up. Messages wait for that at most this long. */
const ASK_AGAIN_MS = 15_000;

/** How a session without a transcript begins: under an id, as a fork, or by resuming another one. */
export type Beginning = Pick<StartOptions, "sessionId" | "resume" | "fork" | "resumeAt">;

/**
 * Resumes a session whose CLI is gone: compares our log with the CLI's transcript, and starts the CLI so that each
 * message is in the conversation once and each open question is asked again. The old CLI must have ended, and the
 * version of the next one must be known (`learnVersion`). `pushed` resolves when further messages may follow those of
 * the plan; it never rejects.
 */
export function recover(
  options: StartOptions & { recovery?: RecoveryPath },
  sessionId: string,
  unfinished: Unfinished,
  beginning: Beginning = { sessionId },
): { engine: Engine; plan: RecoveryPlan; pushed: Promise<void> } {
  // Without a usable CLI nothing is changed.
  const { support } = usableCli(options.claudePath);
  const transcript = transcriptOf(options, sessionId);
  const plan = planRecovery(unfinished, transcript, support.version, options.recovery);
  if (transcript) unparkCalls(transcript, plan.park);
  if (transcript && plan.park) parkCall(transcript, plan.park);

  const askedAgain = Promise.withResolvers<void>();
  const engine = new Engine({
    ...options,
    ...(plan.resume ? { resume: sessionId } : beginning),
    env: { ...options.env, ...plan.env },
    decide: (request) => {
      askedAgain.resolve();
      return options.decide(request);
    },
  });
  if (plan.park) return { engine, plan, pushed: pushAfter(askedAgain.promise, engine, plan) };
  pushAll(engine, plan);
  return { engine, plan, pushed: Promise.resolve() };
}

/** Where a CLI with these variables keeps its files. */
export const configDirOf = (env: Record<string, string> = {}): string =>
  claudeConfig({ ...process.env, ...env }).directory;

function transcriptOf({ env }: StartOptions, sessionId: string): Transcript | undefined {
  const path = findTranscript(configDirOf(env), sessionId);
  return path === undefined ? undefined : readTranscript(path);
}

/** An earlier message would be taken for the answer to the parked call. */
async function pushAfter(asked: Promise<void>, engine: Engine, plan: RecoveryPlan): Promise<void> {
  await settlesWithin(Promise.race([asked, engine.closed]), ASK_AGAIN_MS);
  // If the CLI is gone again, the next recovery finds them unsent.
  if (engine.open) pushAll(engine, plan);
}

function pushAll(engine: Engine, plan: RecoveryPlan): void {
  for (const message of plan.push) engine.push(message);
}
