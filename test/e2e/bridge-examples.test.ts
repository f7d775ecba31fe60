import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const examples = resolve(import.meta.dirname, "../../examples");

test.each(["tools-basic", "tools-with-state", "ai-sdk-tools"])(
  "the example %s finds itself right",
  async (name) => {
    const run = promisify(execFile)(process.execPath, [`${examples}/${name}/main.js`]);
    const { stdout, stderr } = await run;
    expect({ last: stdout.trim().split("\n").at(-1), stderr }).toEqual({ last: "ok", stderr: "" });
  },
);
