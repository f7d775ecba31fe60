import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { project } from "./sapling.ts";

type Project = { test: { name: string; retry?: number } };
type Config = { test: { retry?: number; projects: Project[] } };

/** How often each project runs a failed test again, with this `CI`. */
async function retriesWith(ci: string | undefined): Promise<Record<string, number>> {
  vi.stubEnv("CI", ci);
  vi.resetModules();
  const { default: config } = (await import("../../vitest.config.ts")) as unknown as {
    default: Config;
  };
  vi.unstubAllEnvs();
  const { retry, projects } = config.test;
  expect(retry).toBeUndefined();
  return Object.fromEntries(projects.map(({ test }) => [test.name, test.retry ?? 0]));
}

it("vitest.config.ts runs what starts processes or a whole team once more in CI, and nothing else", async () => {
  const none = { unit: 0, page: 0, checks: 0 };
  expect(await retriesWith("true")).toEqual({ ...none, team: 1, browser: 1, process: 1 });
});

it.each([undefined, "", "false", "1"])(
  "vitest.config.ts runs nothing again outside CI (CI=%s)",
  async (ci) => {
    expect(Object.values(await retriesWith(ci))).toEqual([0, 0, 0, 0, 0, 0]);
  },
);

it("neither a test nor a command sets a retry of its own", () => {
  const files = ["src", "scripts", "test", "web/src"].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.test\.tsx?$/.test(name))
      .map((name) => join(folder, name)),
  );
  expect(files.length).toBeGreaterThan(500);
  // As an option of a test; the tests of the summary plant such tests, and the protocol has an event of this name.
  const retried = files.filter((file) =>
    /(?:^|[\s{(])retry: [1-9]/m.test(readFileSync(join(project, file), "utf8")),
  );
  expect(retried).toEqual(["test/checks/summary-reporter.test.ts"]);
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const commands = [...Object.values(scripts), readFileSync(join(project, ".ci/run"), "utf8")];
  expect(commands.filter((command) => command.includes("--retry"))).toEqual([]);
});
