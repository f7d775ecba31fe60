import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { openSqliteBus } from "../../src/bus/sqlite/open-sqlite-bus.ts";

const program = fileURLToPath(new URL("../../bin/switchboard.js", import.meta.url));
const SCRIPT = "default: { text: I am here. }\n";

/** What the processes of a team use together, by what they are. */
export interface Use {
  /** Of a part that several processes share, each counts its share. */
  readonly megabytes: number;
  readonly cpuMs: number;
}
export type Uses = Readonly<Record<"team" | "host" | "cli" | "bridge", Use>>;

/** A rehearsed team in a directory of its own. */
export class TeamProcess {
  readonly #root = mkdtempSync(join(tmpdir(), "sb-bench-"));
  #child: ChildProcess | undefined;

  /** @param asleep so many further agents hibernate since an earlier process of the team. */
  async start(awake: number, asleep: number): Promise<void> {
    const all = [...names("live", awake), ...names("idle", asleep)];
    const agents = all.map((id) => `  ${id}: { description: d, prompt: p }\n`).join("");
    const file = join(this.#root, "team.yaml");
    writeFileSync(file, `name: scale\nlead: ${all[0]}\nconfirm_roles: false\nagents:\n${agents}`);
    writeFileSync(join(this.#root, "script.yaml"), SCRIPT);
    const state = join(this.#root, "state");
    mkdirSync(state, { mode: 0o700 });
    const bus = await openSqliteBus(join(state, "bus.db"));
    await bus.records.write(
      names("idle", asleep).map((key) => ({
        kind: "put",
        collection: "agents",
        key,
        value: { hibernated: true },
      })),
    );
    await bus.close();
    const place = ["--state-dir", state, "--rehearsal", join(this.#root, "script.yaml")];
    const child = spawn(process.execPath, [program, "up", file, "--json", "--no-web", ...place], {
      cwd: this.#root,
      env: { ...process.env, HOME: this.#root, XDG_STATE_HOME: join(this.#root, "xdg") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    await untilSettled(child.stdout, all.length);
  }

  get uses(): Uses {
    const sum = { team: none(), host: none(), cli: none(), bridge: none() };
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        if (!command.includes(this.#root)) continue;
        const kind = kindOf(command);
        if (kind === undefined) continue;
        sum[kind].megabytes += megabytesOf(pid);
        sum[kind].cpuMs += cpuMsOf(pid);
      } catch {
        // It has just ended.
      }
    }
    return sum;
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Resolves when so many agents are ready or hibernate. */
function untilSettled(told: Readable, count: number): Promise<void> {
  const settled = new Set<string>();
  let rest = "";
  return new Promise((resolve) => {
    told.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = JSON.parse(line) as { type: string; agent: string; state: string };
        if (event.type !== "agent_state") continue;
        if (event.state === "ready" || event.state === "hibernated") settled.add(event.agent);
      }
      if (settled.size === count) resolve();
    });
  });
}

const none = (): { megabytes: number; cpuMs: number } => ({ megabytes: 0, cpuMs: 0 });

function kindOf(command: string): keyof Uses | undefined {
  if (command.includes("switchboard.js up")) return "team";
  if (command.includes("stream-json")) return "cli";
  if (command.includes("agent-socket.js")) return "host";
  return command.includes("bridge") ? "bridge" : undefined;
}

function megabytesOf(pid: string): number {
  const [, kilobytes = "0"] =
    /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** In ticks of 10 ms. */
function cpuMsOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
