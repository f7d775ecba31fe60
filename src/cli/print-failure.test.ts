import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WireErrorSchema } from "../wire/error-schema.ts";
import { errorOf } from "../wire/errors.ts";
import { fail } from "./print-failure.ts";

const taken = errorOf("socket_in_use", "/run/a.sock is served by process 12.", {
  data: { pid: 12 },
});

/** What `fail` wrote, and the exit code that it returned. */
function failing(
  thrown: unknown,
  { json = false, isTTY = false } = {},
): [text: string, exit: number] {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const exit = fail(thrown, { json, stream });
  return [String(stream.read()), exit];
}

describe("fail", () => {
  beforeEach(() => {
    for (const name of ["NO_COLOR", "NODE_DISABLE_COLORS", "FORCE_COLOR"])
      vi.stubEnv(name, undefined);
  });
  afterEach(() => void vi.unstubAllEnvs());

  it("says what happened and what to do next, and exits as the table has it", () => {
    expect(failing(taken)).toEqual([
      "error: /run/a.sock is served by process 12. (socket_in_use)\n" +
        "  Stop the process that serves this socket, or choose another path.\n",
      73,
    ]);
  });

  it("prefers the hint of the error to the hint of the table", () => {
    const [text] = failing(
      errorOf("timeout", "No answer in 5 s.", { hint: "Raise --timeout-ms." }),
    );
    expect(text).toBe("error: No answer in 5 s. (timeout)\n  Raise --timeout-ms.\n");
  });

  it("uses colours only on a terminal", () => {
    expect(failing(taken)[0]).not.toContain("\u001b[");
    expect(failing(taken, { isTTY: true })[0]).toContain("\u001b[31merror:\u001b[39m");
  });

  it("prints one line of JSON for programs, with everything that may cross a boundary", () => {
    const [text, exit] = failing(taken, { json: true, isTTY: true });
    expect(text.endsWith("}\n")).toBe(true);
    expect(WireErrorSchema.parse(JSON.parse(text))).toEqual({
      code: "socket_in_use",
      message: "/run/a.sock is served by process 12.",
      retryable: false,
      hint: "Stop the process that serves this socket, or choose another path.",
      data: { pid: 12 },
    });
    expect(exit).toBe(73);
  });

  it("shows where a defect happened, so that it can be reported", () => {
    const [text, exit] = failing(new TypeError("x is not a function"));
    expect(text).toContain("error: x is not a function (internal)");
    expect(text).toContain("print-failure.test.ts");
    expect(exit).toBe(70);
  });

  it("says that the disk is full, and shows no stack, because that is no defect", () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
    });
    const [text, exit] = failing(full);
    expect(text).toContain("error: ENOSPC: no space left on device, write (disk_full)");
    expect(text).not.toContain("print-failure.test.ts");
    expect(exit).toBe(74);
  });

  it("accepts any thrown value", () => {
    expect(failing("just text")[0]).toContain("error: just text (internal)");
    expect(failing(undefined)[1]).toBe(70);
  });
});
