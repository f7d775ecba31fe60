import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";

interface Run {
  stdout: string;
  stderr: string;
  lines: Record<string, unknown>[];
}

/** In a process of its own, because the logger writes to the real stderr. */
function run(script: string, environment: NodeJS.ProcessEnv = {}): Run {
  const importing = `import { createLogger } from ${JSON.stringify(import.meta.resolve("./logger.ts"))};`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", `${importing}\n${script}`],
    { encoding: "utf8", env: environment },
  );
  const lines = stderr.split("\n").filter((line) => line !== "");
  return { stdout, stderr, lines: lines.map((line) => JSON.parse(line) as Run["lines"][number]) };
}

test("lines go to stderr, never to stdout, and none is lost at the exit", () => {
  const { stdout, lines } = run(`
    const log = createLogger({ name: "test", level: "info" });
    for (let n = 0; n < 1000; n += 1) log.info({ n }, "line");
    process.exit(0);
  `);
  expect(stdout).toBe("");
  expect(lines).toHaveLength(1000);
  expect(lines.at(-1)).toMatchObject({ name: "test", n: 999, msg: "line" });
});

function messagesAt(options: string, level?: string): unknown[] {
  const script = `
    const log = createLogger({ name: "test", ${options} });
    log.debug("debug"); log.info("info"); log.error("error");
  `;
  const { lines } = run(script, level === undefined ? {} : { SWITCHBOARD_LOG: level });
  return lines.map(({ msg }) => msg);
}

describe("the level", () => {
  test("is silent for a library and the fallback for a program", () => {
    expect(messagesAt("")).toEqual([]);
    expect(messagesAt('fallback: "info"')).toEqual(["info", "error"]);
  });

  test("comes from the environment, unless an option says otherwise", () => {
    expect(messagesAt('fallback: "info"', "DEBUG")).toEqual(["debug", "info", "error"]);
    expect(messagesAt('level: "error"', "debug")).toEqual(["error"]);
  });

  test("that does not exist is said, and taken as info", () => {
    expect(messagesAt("", "loud")).toEqual([
      expect.stringContaining('SWITCHBOARD_LOG is "loud"'),
      "info",
      "error",
    ]);
  });
});

test("a secret appears nowhere: fields, bindings, errors, causes, messages", () => {
  const { stderr, lines } = run(`
    const secret = "sk-ant-api03-topsecret";
    const log = createLogger({ name: "test", level: "trace" });
    log.info({ headers: { authorization: "Bearer topsecret-1", "x-api-key": "topsecret-2" } }, "fields");
    log.child({ token: "topsecret-3", agent: "a" }).info("bindings");
    log.child({ agent: "b" }).child({ deep: { password: "topsecret-4" } }).info("nested bindings");
    const cause = Object.assign(new Error("refused " + secret), { config: { api_key: "topsecret-5" } });
    log.error(new Error("failed", { cause }), "an error");
    log.error({ err: new Error("failed with " + secret, { cause }) });
    log.warn("text with %s", secret);
  `);
  expect(lines).toHaveLength(6);
  expect(stderr).not.toContain("topsecret");
  expect(lines[1]).toMatchObject({ agent: "a", token: "[redacted]" });
});

test("an error is written with its cause", () => {
  const { lines } = run(`
    const cause = Object.assign(new TypeError("inner"), { code: "ENOENT" });
    createLogger({ name: "test", level: "info" }).error(new Error("outer", { cause }), "failed");
  `);
  expect(lines).toMatchObject([
    {
      msg: "failed",
      err: {
        name: "Error",
        message: "outer",
        stack: expect.stringContaining("outer"),
        cause: { name: "TypeError", message: "inner", code: "ENOENT" },
      },
    },
  ]);
});
