import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { HostFlags } from "./host-flags.ts";
import { readFlags } from "./read-flags.ts";

const read = (cwd: string, files: Partial<HostFlags>) =>
  readFlags({ cwd, approvalTimeoutMs: 0, ...files });

const json = (text: string): string => `{\n"é": "${text}" }`;
const files = [
  [
    "policy",
    (path: string) => ({ policy: path }),
    '[{ "tool": "Read",\n"match": "*geheimnü*" }]',
    19,
  ],
  ["appendSystemPromptFile", (path: string) => ({ appendSystemPromptFile: path }), "Say\nÜber", 1],
  ["settings", (path: string) => ({ settings: path }), json("x"), 2],
  ["mcpConfig", (path: string) => ({ mcpConfig: [path] }), json("x"), 2],
] as const;

test.each(files)(
  "readFlags refuses a file of %s that is not UTF-8, with line and column",
  (_, flagsOf, text, column) => {
    const cwd = tempDir();
    const path = join(cwd, "file");
    writeFileSync(path, text, "latin1");
    expect(() => read(cwd, flagsOf(path))).toThrow(
      expect.objectContaining({
        code: "invalid_params",
        message: `${path}:2:${column}: This is not UTF-8.`,
        hint: "Save the file as UTF-8.",
      }),
    );
  },
);

test("readFlags takes the text of files that are UTF-8 as it is", () => {
  const cwd = tempDir();
  const path = join(cwd, "file");
  writeFileSync(path, "Über \uFFFD");
  expect(read(cwd, { appendSystemPromptFile: path }).appendSystemPrompt).toBe("Über \uFFFD");
});
