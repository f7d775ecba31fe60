/** What a traced process did to files, in the order in which strace saw it. */
export type Step =
  | { kind: "write"; file: string; offset: number; data: Buffer }
  | { kind: "truncate"; file: string; size: number }
  | { kind: "unlink"; file: string }
  | { kind: "sync"; file: string }
  /** A line on standard output has begun to leave. */
  | { kind: "said"; text: string };

const CALL = /^(\d+) +(\w+)\((.*)$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)$/;

export const straceArguments = (output: string): string[] => [
  "-f",
  "-y",
  "-xx",
  "-s",
  "1000000",
  "-o",
  output,
  "-e",
  "trace=write,pwrite64,ftruncate,fdatasync,fsync,unlink",
];

/**
 * Reads a trace. A write counts from its beginning, a sync from its end: whoever fails to wait for a
 * sync is found out.
 */
export function readTrace(trace: string): Step[] {
  const steps: Step[] = [];
  const unfinished = new Map<string, string>();
  for (const line of trace.split("\n")) {
    const resumed = RESUMED.exec(line);
    if (resumed) {
      const [, thread = "", call = ""] = resumed;
      if (isSync(call)) steps.push({ kind: "sync", file: fileOf(unfinished.get(thread) ?? "") });
      continue;
    }
    const [, thread = "", call = "", rest = ""] = CALL.exec(line) ?? [];
    const isUnfinished = rest.endsWith("<unfinished ...>");
    if (isUnfinished) unfinished.set(thread, rest);
    if (isSync(call) ? isUnfinished : call === "") continue;
    const step = stepOf(call, rest);
    if (step) steps.push(step);
  }
  return steps;
}

const isSync = (call: string): boolean => call === "fsync" || call === "fdatasync";

function stepOf(call: string, rest: string): Step | undefined {
  if (isSync(call)) return { kind: "sync", file: fileOf(rest) };
  if (call === "unlink") {
    return { kind: "unlink", file: bytesOf(/^"([^"]*)"/.exec(rest)?.[1] ?? "").toString() };
  }
  if (call === "ftruncate") {
    return { kind: "truncate", file: fileOf(rest), size: Number(/, (\d+)/.exec(rest)?.[1]) };
  }
  const data = bytesOf(/, "([^"]*)"/.exec(rest)?.[1] ?? "");
  if (call === "write") {
    return rest.startsWith("1<") ? { kind: "said", text: data.toString().trimEnd() } : undefined;
  }
  const offset = Number(/", \d+, (\d+)/.exec(rest)?.[1]);
  return { kind: "write", file: fileOf(rest), offset, data };
}

/** strace writes paths of descriptors as they are, and strings in hexadecimal. */
function fileOf(rest: string): string {
  const path = /^\d+<([^>]*)>/.exec(rest)?.[1] ?? "";
  return path.includes("\\x") ? bytesOf(path).toString() : path;
}

const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll("\\x", ""), "hex");
