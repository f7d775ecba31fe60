import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProofCase } from "../proof-case.ts";
import { allOf } from "../verdict.ts";

const MODEL = "claude-sonnet-4-5";

export const settingCases: ProofCase[] = [
  {
    name: "set-mode",
    title: "A permission mode that is set while the session runs decides what runs unasked",
    rules: [
      { when: { tool_result: "Write" }, text: "It is written." },
      {
        when: { user: "/write (?<name>\\S+)/" },
        tools: [{ name: "Write", input: { file_path: "${name}", content: "words\n" } }],
      },
    ],
    async play(scene) {
      await scene.ask("hello");
      await scene.client.setMode("acceptEdits");
      await scene.until("mode_changed", { fits: ({ mode }) => mode === "acceptEdits" });
      await scene.ask(`write ${join(scene.cwd, "note.txt")}`);
      scene.check(existsSync(join(scene.cwd, "note.txt")), "The file was not written.");
      const asked = allOf(scene.events, "approval_request").length;
      scene.check(asked === 0, "A person was asked in spite of the mode.");
    },
  },
  {
    name: "set-model",
    title: "A model that is set while the session runs gets the next request",
    async play(scene) {
      await scene.ask("hello");
      await scene.client.setModel(MODEL);
      await scene.ask("hello");
      const model = scene.lastRequest.body?.model;
      scene.check(model === MODEL, `The next request went to ${model}.`);
    },
  },
];
