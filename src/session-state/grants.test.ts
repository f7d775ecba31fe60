import { expect, test } from "vitest";
import type { SessionEvent } from "../wire/session/events.ts";
import type { JsonObject } from "../wire/json.ts";
import { applyEvent } from "./apply-event.ts";
import { ruleOf } from "./grants.ts";
import type { SessionState } from "./session-state.ts";
import { emptyState } from "./session-state.ts";
import { stateFromJson, stateToJson } from "./state-json.ts";

const at = "2026-11-18T10:00:00.000Z";

const allow = (destination: string, ruleContent: string): JsonObject => ({
  type: "addRules",
  rules: [{ toolName: "Bash", ruleContent }],
  behavior: "allow",
  destination,
});

const approved = (
  request_id: string,
  scope: "once" | "session" | "always",
  granted: JsonObject[],
  file?: string,
): SessionEvent => ({
  type: "approval_resolved",
  seq: 1,
  at,
  request_id,
  outcome: "allowed",
  scope,
  granted,
  by: "ann",
  ...(file !== undefined && { file }),
});

const revoked = (grant: string): SessionEvent => ({
  type: "grant_revoked",
  seq: 9,
  at,
  grant,
  rule: "",
  by: "bob",
});

function fold(...events: SessionEvent[]): SessionState {
  const state = emptyState();
  for (const event of events) applyEvent(state, event);
  return state;
}

const lasting = [allow("localSettings", "make *"), allow("session", "make *")];
const mode = { type: "setMode", mode: "acceptEdits", destination: "session" };

test("[SES-76] an approval beyond its call is a grant until it is taken back", () => {
  const state = fold(
    approved("r1", "session", [allow("session", "npm test")]),
    approved("r2", "always", lasting, "/p/.claude/settings.local.json"),
    approved("r3", "once", []),
    // The mode is not a grant: set_mode takes it back.
    approved("r4", "session", [mode]),
  );
  expect([...state.given.values()]).toEqual([
    {
      id: "r1",
      scope: "session",
      rule: "Bash(npm test)",
      granted: [allow("session", "npm test")],
      by: "ann",
      at,
    },
    expect.objectContaining({
      id: "r2",
      scope: "always",
      rule: "Bash(make *)",
      file: "/p/.claude/settings.local.json",
    }),
  ]);
  applyEvent(state, revoked("r1"));
  expect([...state.given.keys()]).toEqual(["r2"]);
  expect(state.grants).toEqual([allow("session", "make *"), mode]);
  expect(state.revoked.get("r1")).toBe("bob");
  const again = stateFromJson(JSON.parse(JSON.stringify(stateToJson(state))) as JsonObject, []);
  expect(again).toEqual(state);
});

test("[SES-77] what two grants allow stays allowed until both are taken back", () => {
  const same = allow("session", "make *");
  const both = [approved("r1", "session", [same]), approved("r2", "always", lasting)];
  expect(fold(...both, revoked("r1")).grants).toEqual([same]);
  expect(fold(...both, revoked("r1"), revoked("r2")).grants).toEqual([]);
});

test("the grants of a snapshot replace what was known", () => {
  const known = [...fold(approved("r1", "session", lasting)).given.values()];
  const listed = fold(approved("r0", "session", lasting), {
    type: "grants",
    seq: 2,
    at,
    grants: known,
  });
  expect([...listed.given.keys()]).toEqual(["r1"]);
});

test("ruleOf names rules and directories once", () => {
  const directories = { type: "addDirectories", directories: ["/a"], destination: "session" };
  expect(ruleOf([...lasting, directories])).toBe("Bash(make *), /a");
  expect(ruleOf([{ type: "addRules", rules: [{ toolName: "mcp__shop__buy" }] }])).toBe(
    "mcp__shop__buy",
  );
});
