import { expect, test } from "vitest";
import { normalised } from "../../../test/support/normalised.ts";
import { sampleOf } from "../../../test/support/sdk-messages.ts";
import type { EngineEvent } from "../events.ts";

const told = (name: string, fields: object = {}): EngineEvent[] =>
  normalised({ ...sampleOf(name), ...fields });

test.each<[string, object, string, string | undefined]>([
  ["system/informational", {}, "By the way", "info"],
  ["system/informational", { level: "warning" }, "By the way", "warning"],
  ["system/informational", { level: "brand_new" }, "By the way", undefined],
  ["system/notification", {}, "Look here", "info"],
  ["system/notification", { priority: "medium" }, "Look here", "notice"],
  ["system/notification", { priority: "immediate" }, "Look here", "warning"],
  ["system/notification", { priority: "brand_new" }, "Look here", undefined],
  [
    "system/plugin_install",
    { status: "failed", name: "p", error: "no net" },
    "The plugin p could not be installed: no net",
    "warning",
  ],
  [
    "system/plugin_install",
    { status: "failed" },
    "A plugin could not be installed: Claude Code gave no reason",
    "warning",
  ],
  [
    "system/files_persisted",
    {
      failed: [
        { filename: "a", error: "too large" },
        { filename: "b", error: "gone" },
      ],
    },
    "Claude Code could not save: a (too large), b (gone)",
    "warning",
  ],
  [
    "system/worker_shutting_down",
    {},
    "Claude Code is shutting down its work here: host_exit.",
    "warning",
  ],
])("%s with %j is a notice", (name, fields, message, level) => {
  const notice = { type: "notice", code: "cli_message", message };
  expect(told(name, fields)).toEqual([{ ...notice, ...(level !== undefined && { level }) }]);
});

test.each<[string, object, object]>([
  ["system/plugin_install", {}, { of: "plugin_install", state: "started" }],
  [
    "system/plugin_install",
    { status: "installed", name: "p" },
    { of: "plugin_install", state: "progress", name: "p" },
  ],
  ["system/plugin_install", { status: "completed" }, { of: "plugin_install", state: "completed" }],
  ["system/files_persisted", {}, { of: "files_persisted", state: "completed" }],
  ["system/files_persisted", { failed: undefined }, { of: "files_persisted", state: "completed" }],
  ["system/elicitation_complete", {}, { of: "elicitation", state: "completed", name: "m" }],
  ["system/control_request_progress", {}, { of: "control_request", state: "started" }],
])("%s with %j is progress", (name, fields, progress) => {
  expect(told(name, fields)).toEqual([{ type: "progress", ...progress }]);
});

test("another attempt of a side request is reported like any other", () => {
  const fields = {
    status: "api_retry",
    attempt: 1,
    max_retries: 4,
    retry_delay_ms: 500.4,
    error_status: null,
  };
  expect(told("system/control_request_progress", fields)).toEqual([
    { type: "retry", attempt: 1, max: 4, delay_ms: 500, code: "api_unreachable" },
  ]);
});

test("memories are reported with their path, and with their content where no file has it", () => {
  const memories = [
    { path: "/m/a.md", scope: "personal" },
    { path: "<synthesis:/m>", scope: "team", content: "They like tea." },
  ];
  expect(told("system/memory_recall", { memories, mode: "synthesize" })).toEqual([
    { type: "memory_recalled", memories },
  ]);
});

test("texts of a later version are passed on unchanged", () => {
  for (const name of ["system/plugin_install", "system/control_request_progress"]) {
    expect(told(name, { status: "brand_new" })).toMatchObject([{ type: "debug", sdk_type: name }]);
  }
});
