import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const fixture = join(import.meta.dirname, "../../process/fixtures/bus-sender.ts");

export interface SenderProcess {
  child: ChildProcess;
  /** Ids, in the order of their acknowledgements; only whole lines count. */
  acknowledged(): string[];
  /** Until it has said so many. */
  untilAcknowledged(count: number): Promise<void>;
  ended: Promise<unknown>;
}

/** A process that sends, perhaps under another program such as strace. */
export function startSender(args: readonly string[], under: readonly string[] = []): SenderProcess {
  const [command = "", ...rest] = [...under, process.execPath, fixture, ...args];
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => (output += text));
  const ended = once(child, "close");
  const acknowledged = (): string[] => {
    const lines = output.slice(0, output.lastIndexOf("\n") + 1).split("\n");
    return lines.filter((line) => /^[0-9a-f-]{36}$/.test(line));
  };
  return {
    child,
    ended,
    acknowledged,
    async untilAcknowledged(count) {
      while (acknowledged().length < count) {
        await Promise.race([once(child.stdout, "data"), ended]);
        if (child.exitCode !== null || child.signalCode !== null) return;
      }
    },
  };
}
