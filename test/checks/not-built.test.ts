import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plant, project } from "./sapling.ts";

it.each(["switchboard", "agent-socket"])("%s says in one line that it is not built", (bin) => {
  const checkout = plant({});
  cpSync(join(project, "bin"), join(checkout, "bin"), { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(checkout, "bin", `${bin}.js`), "--help"],
    { encoding: "utf8" },
  );
  expect(stderr).toBe(
    `${bin} is not built yet. Run this in the checkout first: npm ci && npm run build\n`,
  );
  expect([status, stdout]).toEqual([69, ""]);
});
