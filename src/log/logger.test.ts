import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { mountSmallDisk } from "../../test/support/small-disk.ts";
import { tempDir } from "../../test/support/temp-dir.ts";

interface Run {
  stdout: string;
  stderr: string;
  lines: Record<string, unknown>[];
}

/** A process of its own, because the logger writes to the real stderr. */
function evalOf(script: string): string[] {
  const importing = `import { createLogger } from ${JSON.stringify(import.meta.resolve("./logger.ts"))};`;
  return ["--input-type=module", "--eval", `${importing}\n${script}`];
}

function run(script: string, environment: NodeJS.ProcessEnv = {}): Run {
  const { stdout, stderr } = spawnSync(process.execPath, evalOf(script), {
    encoding: "utf8",
    env: environment,
  });
  const lines = stderr.split("\n").filter((line) => line !== "");
  return { stdout, stderr, lines: lines.map((line) => JSON.parse(line) as Run["lines"][number]) };
}

test("the logger writes lines to stderr, never to stdout, and loses no line at exit", () => {
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

  test("is info when an unknown one is requested, with a warning", () => {
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

/** Runs with that file as stderr, and says what came on stdout. */
function runOnto(stderr: number, script: string): string {
  const { stdout, status } = spawnSync(process.execPath, evalOf(script), {
    encoding: "utf8",
    stdio: ["ignore", "pipe", stderr],
    timeout: 10_000,
  });
  return `${stdout.trim()} ${status}`;
}

function opened(path: string, flags: string | number): number {
  const descriptor = openSync(path, flags);
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}

// Named here, as it is no program of this package.
const MKFIFO = "mkfifo";

function newFifo(): string {
  const path = join(tempDir(), "fifo");
  execFileSync(MKFIFO, [path]);
  return path;
}

describe("a stderr that takes nothing more", () => {
  const twoLines = `
    const log = createLogger({ name: "test", level: "info" });
    log.error(new Error("a"), "one");
    log.child({ of: "a child" }).fatal("two");
    console.log("lives");
  `;

  test("does not fail the caller when the disk is full", () => {
    expect(runOnto(opened("/dev/full", "w"), twoLines)).toBe("lives 0");
  });

  test("does not fail the caller when the reader is gone", () => {
    const fifo = newFifo();
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = opened(fifo, "w");
    closeSync(reader);
    expect(runOnto(writer, twoLines)).toBe("lives 0");
  });

  test("delays the caller only once when the pipe is full", () => {
    const fifo = newFifo();
    const reader = opened(fifo, "r+");
    const writer = opened(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
    const outcome = runOnto(
      writer,
      `
      const log = createLogger({ name: "test", level: "info" });
      for (let n = 0; n < 300; n += 1) log.info({ n, text: "x".repeat(1000) }, "line");
      console.log("lives");
      `,
    );
    expect(outcome).toBe("lives 0");
    const bytes = Buffer.alloc(1_000_000);
    const [first = ""] = bytes.toString("utf8", 0, readSync(reader, bytes)).split("\n");
    expect(JSON.parse(first)).toMatchObject({ n: 0 });
  });

  test("gets later lines when it works again, each on a line of its own", (context) => {
    const disk = mountSmallDisk(context);
    const [log, ballast] = [join(disk.directory, "log"), join(disk.directory, "ballast")];
    const script = `
      import { rmSync, statfsSync, writeFileSync } from "node:fs";
      const log = createLogger({ name: "test", level: "info" });
      log.info("before");
      const { bavail, bsize } = statfsSync(${JSON.stringify(disk.directory)});
      writeFileSync(${JSON.stringify(ballast)}, Buffer.alloc((bavail - 1) * bsize));
      for (let n = 0; n < 100; n += 1) log.info({ n, text: "x".repeat(1000) }, "full");
      rmSync(${JSON.stringify(ballast)});
      log.info("after");
      log.info("later");
      console.log("lives");
    `;
    expect(runOnto(opened(log, "a"), script)).toBe("lives 0");
    const lines = readFileSync(log, "utf8").split("\n");
    const last = lines.slice(-3, -1).map((line) => JSON.parse(line) as unknown);
    expect(last).toMatchObject([{ msg: "after" }, { msg: "later" }]);
    expect(lines.length).toBeLessThan(100);
  });
});
