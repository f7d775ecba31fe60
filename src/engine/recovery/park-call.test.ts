import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { parkCall, unparkCalls } from "./park-call.ts";
import type { Transcript } from "./transcript.ts";
import { readTranscript } from "./transcript.ts";

const prompt = { type: "user", uuid: "M1", parentUuid: null, message: { content: "go" } };
const call = {
  type: "assistant",
  uuid: "a1",
  parentUuid: "M1",
  isSidechain: false,
  userType: "external",
  entrypoint: "sdk-ts",
  cwd: "/work",
  sessionId: "S",
  version: "2.1.325",
  gitBranch: "main",
  message: {
    id: "A",
    content: [{ type: "tool_use", id: "c1", name: "Bash", input: { command: "ls" } }],
    stop_reason: "tool_use",
  },
};

function transcriptWith(rest = ""): Transcript {
  const path = join(tempDir(), "S.jsonl");
  writeFileSync(path, `${JSON.stringify(prompt)}\n${JSON.stringify(call)}\n${rest}`);
  return readTranscript(path);
}

function park(transcript: Transcript): void {
  const [only] = transcript.calls;
  if (!only) throw new Error("there is no call");
  parkCall(transcript, only);
}

const linesOf = ({ path }: Transcript): string[] => readFileSync(path, "utf8").split("\n");

describe("parkCall", () => {
  it("adds the CLI's own record of a deferred call after the call", () => {
    const transcript = transcriptWith();
    const before = linesOf(transcript);
    park(transcript);
    const [, , added, ...rest] = linesOf(transcript);
    expect(linesOf(transcript).slice(0, 2)).toEqual(before.slice(0, 2));
    expect(rest).toEqual([""]);
    expect(JSON.parse(added ?? "")).toEqual({
      parentUuid: "a1",
      isSidechain: false,
      attachment: {
        type: "hook_deferred_tool",
        toolUseID: "c1",
        toolName: "Bash",
        toolInput: { command: "ls" },
        hookName: "settings",
        hookEvent: "PreToolUse",
        permissionMode: "default",
      },
      type: "attachment",
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      userType: "external",
      entrypoint: "sdk-ts",
      cwd: "/work",
      sessionId: "S",
      version: "2.1.325",
      gitBranch: "main",
    });
  });

  it("leaves the call open, so that it can be parked again after the next crash", () => {
    const transcript = transcriptWith();
    park(transcript);
    const again = readTranscript(transcript.path);
    expect(again.calls).toEqual(transcript.calls);
    expect(again).toMatchObject({ answered: false, endsHidden: false });
    park(again);
    expect(linesOf(again)).toHaveLength(5);
  });

  it("ends a torn line first, which would swallow the record", () => {
    const transcript = transcriptWith('{"type":"assist');
    park(transcript);
    const [, , torn, added] = linesOf(transcript);
    expect(torn).toBe('{"type":"assist');
    expect(JSON.parse(added ?? "")).toMatchObject({ type: "attachment" });
  });

  it("writes behind what the file holds now, not what it held when it was read", () => {
    const transcript = transcriptWith();
    appendFileSync(transcript.path, '{"type":"mode"}\n');
    park(transcript);
    expect(linesOf(transcript)[2]).toBe('{"type":"mode"}');
  });

  it("fails when the file is gone", () => {
    const transcript = { ...transcriptWith(), path: join(tempDir(), "gone.jsonl") };
    expect(() => park(transcript)).toThrow(/ENOENT/);
  });
});

const kindsIn = (transcript: Transcript): string[] =>
  linesOf(transcript).flatMap((line) => line.match(/hook_deferred_\w+/)?.[0] ?? []);

describe("unparkCalls", () => {
  it("changes the record's kind to one that the CLI does not know, and nothing else", () => {
    const transcript = transcriptWith();
    park(transcript);
    const before = readFileSync(transcript.path, "utf8");
    unparkCalls(readTranscript(transcript.path));
    const after = readFileSync(transcript.path, "utf8");
    expect(after).toBe(before.replace("hook_deferred_tool", "hook_deferred_gone"));
    expect(readTranscript(transcript.path).parked).toEqual([]);
  });

  it("keeps the record of a call that is parked again, and of one that has its result", () => {
    const transcript = transcriptWith();
    park(transcript);
    unparkCalls(readTranscript(transcript.path), transcript.calls[0]);
    expect(kindsIn(transcript)).toEqual(["hook_deferred_tool"]);
    const result = { content: [{ type: "tool_result", tool_use_id: "c1" }] };
    const row = { type: "user", uuid: "r1", parentUuid: "a1", message: result };
    appendFileSync(transcript.path, `${JSON.stringify(row)}\n`);
    unparkCalls(readTranscript(transcript.path));
    expect(kindsIn(transcript)).toEqual(["hook_deferred_tool"]);
  });
});
