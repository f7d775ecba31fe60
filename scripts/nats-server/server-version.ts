import { spawnSync } from "node:child_process";

/** What a downloaded or built server is. Tests and benches then judge the same program on every machine. */
export const pinnedVersion = "2.15.1";

/** Before it, servers lost acknowledged entries of replicated streams (docs/machines.md). */
const oldest = [2, 12] as const;

/** The version that the program says of itself, or why it cannot be used. */
export function judgeServer(file: string): { version: string } | { problem: string } {
  const { stdout, error } = spawnSync(file, ["--version"], { encoding: "utf8", timeout: 10_000 });
  const [, version = "", major, minor] = /v((\d+)\.(\d+)\.\S+)/.exec(stdout ?? "") ?? [];
  if (version === "")
    return { problem: `${file} is no nats-server${error ? `: ${error.message}` : ""}` };
  const isSameMajor = Number(major) === oldest[0] && Number(minor) >= oldest[1];
  if (isSameMajor || Number(major) > oldest[0]) return { version };
  return { problem: `${file} is version ${version}; ${oldest.join(".")} or newer is needed` };
}
