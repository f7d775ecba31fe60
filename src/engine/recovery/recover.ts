import { homedir } from "node:os";
import { join } from "node:path";
import type { StartOptions } from "../engine.ts";
import { Engine } from "../engine.ts";
import { locateCli } from "../locate-cli.ts";
import { knownVersion } from "./cli-version.ts";
import { parkCall, unparkCalls } from "./park.ts";
import type { RecoveryPlan, Unfinished } from "./plan.ts";
import { planRecovery } from "./plan.ts";
import type { Transcript } from "./transcript.ts";
import { findTranscript, readTranscript } from "./transcript.ts";

/** A parked call is asked about as soon as the CLI is up. If it is not, messages wait no longer than this. */
const ASK_AGAIN_MS = 15_000;

/** How a session begins of which the CLI has no file: under an id, as a copy, or as another one goes on. */
export type Beginning = Pick<StartOptions, "sessionId" | "resume" | "fork">;

/**
 * Takes up a session whose CLI is gone: compares our log with the CLI's own file, and starts the CLI so
 * that each message is in the conversation once and each open question is asked again. The old CLI must
 * have ended before, and the next one have been asked for its version (`learnVersion`). `pushed` resolves
 * when further messages may follow those of the plan; it never rejects.
 */
export function recover(
  options: StartOptions,
  sessionId: string,
  unfinished: Unfinished,
  beginning: Beginning = { sessionId },
): { engine: Engine; plan: RecoveryPlan; pushed: Promise<void> } {
  // Without a CLI nothing is touched.
  locateCli(options.claudePath);
  const transcript = transcriptOf(options, sessionId);
  const plan = planRecovery(unfinished, transcript, knownVersion(options.claudePath));
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

/** Where a CLI that is started with these variables keeps its files. */
export function configDirOf(env: Record<string, string> = {}): string {
  const { CLAUDE_CONFIG_DIR: configDir, HOME: home = homedir() } = { ...process.env, ...env };
  return configDir ?? join(home, ".claude");
}

function transcriptOf({ env }: StartOptions, sessionId: string): Transcript | undefined {
  const path = findTranscript(configDirOf(env), sessionId);
  return path === undefined ? undefined : readTranscript(path);
}

/** A message that came first would be taken for the answer to the parked call. */
async function pushAfter(asked: Promise<void>, engine: Engine, plan: RecoveryPlan): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ASK_AGAIN_MS)));
  await Promise.race([asked, late, engine.closed]);
  clearTimeout(timer);
  // If the CLI is gone again, the next recovery finds them unsent.
  if (engine.open) pushAll(engine, plan);
}

function pushAll(engine: Engine, plan: RecoveryPlan): void {
  for (const message of plan.push) engine.push(message);
}
