import { expect, onTestFinished, test } from "vitest";
import { memoryDir } from "../../../../test/support/temp-dir.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { openLog } from "../../log/open-log.ts";
import { Recorder } from "../event-recorder.ts";
import { askingRules, revokeGrant } from "./revoke-grant.ts";

const allow = (toolName: string, ruleContent?: string): JsonObject => ({
  type: "addRules",
  rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
  behavior: "allow",
  destination: "session",
});

const fails = () => Promise.reject(new Error("gone"));

function stage() {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const recorder = new Recorder(log);
  const asked: (readonly string[])[] = [];
  const engine = {
    open: true,
    ready: async () => {},
    askAbout: async (rules: readonly string[]) => void asked.push(rules),
  };
  const grant = (request_id: string, ...granted: JsonObject[]) =>
    recorder.record({
      type: "approval_resolved",
      request_id,
      outcome: "allowed",
      scope: "session",
      granted,
    });
  const revoke = (id: string, by: Partial<Engine> | undefined = engine) =>
    revokeGrant({ grant: id, by: "ann", engine: by as Engine | undefined }, { recorder });
  return { log, asked, engine, grant, revoke };
}

test("[SES-77] revoke is told once, with who took it back, and holds for the running CLI", async () => {
  const { log, asked, grant, revoke } = stage();
  grant("r1", allow("Bash", "make *"));
  await revoke("r1");
  await revoke("r1");
  const { events } = await log.history(undefined, 10);
  expect(events.filter(({ type }) => type === "grant_revoked")).toMatchObject([
    { grant: "r1", rule: "Bash(make *)", by: "ann" },
  ]);
  expect(asked).toEqual([["Bash(make *)"]]);
  await expect(revoke("r2")).rejects.toMatchObject({
    code: "unknown_request",
    hint: expect.stringContaining("status lists"),
  });
});

test("[SES-77] revoke asks about nothing that another grant allows", async () => {
  const { asked, grant, revoke } = stage();
  grant("r1", allow("Bash", "make *"), allow("WebFetch", "domain:a.example"));
  grant("r2", allow("Bash", "make *"));
  await revoke("r1");
  expect(asked).toEqual([["WebFetch(domain:a.example)"]]);
});

test("[SES-77] revoke succeeds when no CLI runs or the CLI dies, for the next one does not get the grant", async () => {
  const { log, engine, grant, revoke } = stage();
  for (const id of ["r1", "r2", "r3"]) grant(id, allow("Bash", id));
  await revoke("r1", undefined);
  await revoke("r2", { ...engine, open: false, ready: fails });
  expect(log.state.grants).toEqual([allow("Bash", "r3")]);
  await expect(revoke("r3", { ...engine, askAbout: fails })).rejects.toThrow("gone");
});

test("[SES-77] revoke that is sent again tells a CLI that did not hear it the first time", async () => {
  const { log, asked, engine, grant, revoke } = stage();
  grant("r1", allow("Bash", "make *"));
  const deaf: typeof engine = { ...engine, askAbout: fails };
  await expect(revoke("r1", deaf)).rejects.toThrow("gone");
  deaf.askAbout = engine.askAbout;
  await revoke("r1", deaf);
  await revoke("r1", deaf);
  expect(asked).toEqual([["Bash(make *)"]]);
  const { events } = await log.history(undefined, 10);
  expect(events.filter(({ type }) => type === "grant_revoked")).toHaveLength(1);
});

test("askingRules asks about at least what was allowed", () => {
  expect(
    askingRules([
      allow("Bash", "echo (1)"),
      allow("mcp__shop__buy"),
      allow("Read", "//tmp/**"),
      // It would count from another place.
      allow("Edit", "/src/**"),
      { type: "addDirectories", directories: ["/a"], destination: "session" },
    ]),
  ).toEqual([
    String.raw`Bash(echo \(1\))`,
    "mcp__shop__buy",
    "Read(//tmp/**)",
    "Edit",
    "Read(//a/**)",
    "Edit(//a/**)",
    "Bash",
  ]);
});
