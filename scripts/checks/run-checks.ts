import { availableParallelism } from "node:os";
import { styleText } from "node:util";

/** A rule of the house that a program can judge: `run` returns what is wrong, or an empty list. */
export interface Check {
  name: string;
  run(root: string): Promise<string[]>;
}

/** Runs checks side by side, prints a line for each as it ends, and says whether all of them passed. */
export async function runChecks(
  checks: readonly Check[],
  root: string,
  print: (text: string) => void,
): Promise<boolean> {
  const waiting = [...checks];
  const width = Math.max(...checks.map(({ name }) => name.length));
  let passed = true;
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const started = performance.now();
      const problems = await judge(check, root);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      print(`${mark(problems)} ${check.name.padEnd(width)} ${seconds} s`);
      for (const problem of problems) print(problem.replaceAll(/^/gm, "    "));
      passed &&= problems.length === 0;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return passed;
}

/** A check that breaks has not passed. */
async function judge(check: Check, root: string): Promise<string[]> {
  try {
    return await check.run(root);
  } catch (thrown) {
    return [thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)];
  }
}

function mark(problems: readonly string[]): string {
  return problems.length === 0 ? styleText("green", "✓") : styleText("red", "✗");
}
