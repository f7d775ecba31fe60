import { expect, test } from "vitest";
import type { EngineEvent } from "../../../engine/events.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { parseEvent } from "../../../wire/session/events.ts";
import { translate } from "./translate.ts";

test.each<[string, EngineEvent, JsonObject]>([
  [
    "Read two files",
    { type: "tool_summary", request_ids: ["c1", "c2"], text: "Read two files" },
    { kind: "tool_use_summary", request_ids: ["c1", "c2"] },
  ],
  [
    "Recalled from memory: /m/a.md, <synthesis:/m>",
    {
      type: "memory_recalled",
      memories: [
        { path: "/m/a.md", scope: "personal" },
        { path: "<synthesis:/m>", scope: "team", content: "x".repeat(5_000) },
      ],
    },
    {
      kind: "memory_recall",
      memories: [
        { path: "/m/a.md", scope: "personal" },
        { path: "<synthesis:/m>", scope: "team", content: `${"x".repeat(4_000)}…` },
      ],
    },
  ],
  [
    "shop has what it asked for.",
    { type: "progress", of: "elicitation", state: "completed", name: "shop" },
    { kind: "elicitation", state: "completed", name: "shop" },
  ],
  [
    "Plugins are being installed.",
    { type: "progress", of: "plugin_install", state: "started" },
    { kind: "plugin_install", state: "started" },
  ],
  [
    "The plugin p is installed.",
    { type: "progress", of: "plugin_install", state: "progress", name: "p" },
    { kind: "plugin_install", state: "progress", name: "p" },
  ],
  [
    "The plugins are installed.",
    { type: "progress", of: "plugin_install", state: "completed" },
    { kind: "plugin_install", state: "completed" },
  ],
])("%s: an informational notice", (message, event, data) => {
  const [notice, ...others] = translate(event);
  expect(notice).toEqual({ type: "notice", code: "cli_message", level: "info", message, data });
  expect(others).toEqual([]);
  expect(parseEvent({ ...notice, seq: 1, at: "2026-11-17T00:00:00.000Z" }).ok).toBe(true);
});

test.each(["model_request", "control_request", "files_persisted"] as const)(
  "progress of a %s is not recorded",
  (of) => {
    expect(translate({ type: "progress", of, state: "started" })).toEqual([]);
  },
);
