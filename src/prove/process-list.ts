import { existsSync, readdirSync, readFileSync } from "node:fs";
import { runToEnd } from "../proc/run-to-end.ts";
import { parentOf } from "../proc/process-identity.ts";

interface Listed {
  pid: number;
  parent: number;
  command: string;
}

/** The CLI processes below a host: every one that uses the Agent SDK's protocol, a wrapper script too. */
export async function cliProcessesOf(hostPid: number): Promise<number[]> {
  const all = existsSync("/proc/self/stat") ? fromProc() : await fromPs();
  const below = new Set([hostPid]);
  // Parents may come after their children in the list.
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all
    .filter(({ pid, command }) => pid !== hostPid && below.has(pid) && isCli(command))
    .map(({ pid }) => pid);
}

const isCli = (command: string): boolean => command.includes("--input-format");

function fromProc(): Listed[] {
  return processNumbers().flatMap((pid) => {
    const parent = parentOf(pid);
    return parent === undefined ? [] : [{ pid, parent, command: read(`/proc/${pid}/cmdline`) }];
  });
}

async function fromPs(): Promise<Listed[]> {
  const args = ["-A", "-o", "pid=,ppid=,args="];
  const { out } = await runToEnd({ command: "ps", args, timeoutMs: 10_000 });
  return out.split("\n").flatMap((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** Every process whose environment has this path. Unknown without /proc. */
export const processesWith = (path: string): number[] =>
  processNumbers().filter((pid) => read(`/proc/${pid}/environ`).includes(path));

function processNumbers(): number[] {
  if (!existsSync("/proc/self/stat")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Empty for a process that has just ended, or is another user's. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
