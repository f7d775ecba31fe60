import { devNull } from "node:os";
import { childEnvironment } from "../../../proc/child-environment.ts";
import { runToEnd } from "../../../proc/run-to-end.ts";

/** A large repository takes its time. */
const GIT_MS = 600_000;

export interface Repository {
  readonly directory: string;
  /** Whether the person trusts what lies in the directory. */
  readonly trusted: boolean;
}

export interface GitEnd {
  readonly ok: boolean;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs git in a repository. In a trusted one it runs as the person's own git would. Of one that is not trusted
 * it runs no hook, no file system monitor and no filter, and it gets none of the person's variables.
 */
export async function git(repository: Repository, ...args: string[]): Promise<GitEnd> {
  const { directory, trusted } = repository;
  if (trusted) return run(process.env, ["-C", directory, ...args]);
  const env = childEnvironment();
  const filterNames = String.raw`^filter\..*\.(smudge|process|clean)$`;
  const ask = ["config", "--local", "--name-only", "--get-regexp", filterNames];
  const filters = await run(env, ["-C", directory, ...unhooked, ...ask]);
  const names = new Set(filters.out.split("\n").filter((name) => name !== ""));
  const off = [...names].flatMap((name) => {
    const required = name.replace(/\.\w+$/, ".required");
    return ["-c", `${name}=`, "-c", `${required}=false`];
  });
  return run(env, ["-C", directory, ...unhooked, ...off, ...args]);
}

const unhooked = ["-c", `core.hooksPath=${devNull}`, "-c", "core.fsmonitor=false"];

const run = (env: NodeJS.ProcessEnv, args: readonly string[]): Promise<GitEnd> =>
  runToEnd({ command: "git", args, env, timeoutMs: GIT_MS });
