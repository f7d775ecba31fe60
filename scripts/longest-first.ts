import { basename } from "node:path";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/**
 * The test files that take longest, the longest first. Vitest does not know this on a fresh machine and
 * starts the largest files first, so that a short file with a long wait would be left alone at the end.
 */
export const longFiles: readonly string[] = [
  "recovery-messages",
  "first-hour",
  "prove",
  "session-lost-conversation",
  "recovery-prompt",
  "team-daily",
  "session-disk-full",
  "team-projects",
  "bridge-long-call",
  "model-request",
  "team-storm",
  "session-storm",
  "team-loops",
  "recovery-approvals",
  "bridge-child-kill",
  "rehearsal-cli",
  "engine-faults",
  "session-resume",
  "agent-socket-start",
  "agent-socket-life",
  "session-recovery",
  "team-person",
  "ai-sdk-ends",
  "recovery-again",
  "check-command",
  "bridge-child-own",
  "team-flows",
  "session-host-killed",
].map((name) => `${name}.test.ts`);

/** Begins with the files that take longest; the others follow as Vitest would have them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const long = longFiles.flatMap((name) => others.filter((file) => nameOf(file) === name));
    return [...long, ...others.filter((file) => !longFiles.includes(nameOf(file)))];
  }
}

const nameOf = ({ moduleId }: TestSpecification): string => basename(moduleId);
