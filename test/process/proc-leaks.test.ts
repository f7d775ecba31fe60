import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { until, watchdogsOf } from "./fixtures/proc-list.ts";

test.for(["plain", "held"])(
  "200 children with %s pipes, started and stopped, leave no process, zombie, descriptor or listener",
  async (pipes) => {
    const file = fileURLToPath(new URL("fixtures/proc-cycles.ts", import.meta.url));
    const host = spawn(process.execPath, [file, pipes], { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(host, "exit");
    const { before, after } = JSON.parse(await text(host.stdout));
    expect(after).toEqual(before);
    expect(before.children).toEqual(["sh"]);
    expect(await exited).toEqual([0, null]);
    await until(
      () => watchdogsOf(host.pid ?? 0),
      (left) => left.length === 0,
    );
  },
);
