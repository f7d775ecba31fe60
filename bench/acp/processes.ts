import { readdirSync, readFileSync } from "node:fs";

const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It has just ended.
    return "";
  }
};

/** All processes that run for the home of one round, without Claude Code itself, which all ways have. */
export function processesOf(home: string): string[] {
  return readdirSync("/proc").filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      read(`/proc/${pid}/environ`).includes(`HOME=${home}`) &&
      !read(`/proc/${pid}/cmdline`).includes("--input-format"),
  );
}

/** Of all of them together. A process that ends meanwhile takes its time along. */
export function cpuMsOf(home: string): number {
  return processesOf(home).reduce((sum, pid) => {
    const fields = read(`/proc/${pid}/stat`).split(") ")[1]?.split(" ") ?? [];
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * MS_PER_TICK;
  }, 0);
}

export function residentMegabytesOf(home: string): number {
  return processesOf(home).reduce((sum, pid) => {
    const pages = Number(read(`/proc/${pid}/statm`).split(" ")[1] ?? 0);
    return sum + (pages * PAGE_BYTES) / 1e6;
  }, 0);
}
