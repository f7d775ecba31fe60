import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { arch, tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScriptInput } from "../../src/rehearsal/script-schema.ts";
import { setStage } from "../support/rehearsed.ts";
import { processesOf } from "../support/stage-processes.ts";

const root = resolve(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const [, chapter = ""] = /\n## Ten lines for each layer\n([^]*?)\n## /.exec(readme) ?? [];

/** The model's part: what it says to the prompts of the README. */
const script: ScriptInput = {
  rules: [
    { when: { peer: "/Role check.*you are (\\w+)/" }, text: "I am $1." },
    {
      when: { user: "Add 40 and 2" },
      tools: [40, 2].map((amount) => ({ name: "mcp__my-tools__add_to_total", input: { amount } })),
    },
    {
      when: { tool_result: { name: "mcp__my-tools__add_to_total", text: '/"total":(\\d+)/' } },
      text: "The total is $1.",
    },
    {
      when: { user: "How many files" },
      tools: [{ name: "Bash", input: { command: "touch counted" } }],
    },
    { when: { tool_result: "Bash" }, text: "There are two files." },
    {
      when: { user: "Write a haiku" },
      tools: [
        {
          name: "mcp__team__send_message",
          input: { to: "coder", content: "Please write one.", wait: true },
        },
      ],
    },
    { when: { peer: "Please write one." }, text: "An old silent pond." },
    {
      when: { tool_result: { name: "mcp__team__send_message", text: "An old silent pond." } },
      text: "Here is the haiku of the coder.",
    },
    {
      when: { user: "How is the weather" },
      tools: [{ name: "mcp__tools__weather", input: { city: "Berlin" } }],
    },
    { when: { tool_result: "mcp__tools__weather" }, text: "${tool_result}" },
  ],
};

type Block = { readonly language: string; readonly text: string };

const blocks = [...chapter.matchAll(/```(?<language>\w+)\n(?<text>[^]*?)```/g)].map(
  ({ groups = {} }) => groups as unknown as Block,
);

/** The first line of a file is a comment with its name. */
const fileOf = ({ text }: Block): string => /^(?:\/\/|#) ([\w.-]+)\n/.exec(text)?.[1] ?? "";

const home = realpathSync(mkdtempSync(join(tmpdir(), "readme-")));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A user has installed the packed package and what its programs import, for all folders in here. */
let bin: string;
beforeAll(() => {
  bin = install();
});

function install(): string {
  const modules = join(home, "node_modules");
  const programs = join(modules, ".bin");
  const own = join(modules, "agent-switchboard");
  mkdirSync(programs, { recursive: true });
  mkdirSync(own);
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", home];
  const packed = execFileSync("npm", pack, { cwd: root, encoding: "utf8" });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  execFileSync("tar", ["-xzf", join(home, filename), "--strip-components=1", "-C", own]);
  // Its dependencies, as npm would install them.
  symlinkSync(join(root, "node_modules"), join(own, "node_modules"));
  for (const name of ["zod", "ai", "@types"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  for (const name of ["switchboard", "agent-socket"]) {
    symlinkSync(join(own, "bin", `${name}.js`), join(programs, name));
  }
  return programs;
}

/** What the page says of such a folder: these programs have another name there. */
const [, renamed = ""] = /"type": "commonjs"[^:]*? call the\nprograms (.*);/.exec(chapter) ?? [];

test.each([
  ["module", (text: string) => text],
  ["commonjs", (text: string) => text.replaceAll(/\b(chat|ask-team|weather)\.ts\b/g, "$1.mts")],
])(
  "README.md: the programs compile, and each command prints what the page shows, in a folder of type %s",
  { timeout: 240_000 },
  async (type, inFolder) => {
    const stage = await setStage(script);
    const folder = join(home, type);
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: type, type }));
    const files = blocks
      .filter((block) => fileOf(block) !== "")
      .map(({ text, ...block }) => ({ name: inFolder(fileOf({ text, ...block })), text }));
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
    expect(files.map(({ name }) => name)).toEqual(
      ["my-tools.ts", "chat.ts", "team.yaml", "ask-team.ts", "weather.ts"].map(inFolder),
    );
    expect(renamed).toBe("`chat.mts`, `ask-team.mts` and `weather.mts`");
    const programs = files.map(({ name }) => name).filter((name) => /\.m?ts$/.test(name));
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "esnext"];
    const tsc = [...flags, "--types", "node", "--skipLibCheck", ...programs];
    const compile = spawnSync(join(root, "node_modules/.bin/tsc"), tsc, { cwd: folder });
    expect(String(compile.stdout)).toBe("");

    const claude = `node_modules/@anthropic-ai/claude-agent-sdk-linux-${arch()}`;
    const path = [bin, dirname(process.execPath), process.env["PATH"], join(root, claude)];
    const run = blocks.map(({ language, text }, index) =>
      language === "sh" ? `echo -e "\\n=== ${index}"\n${inFolder(text)}` : "",
    );
    // What a failed step leaves in the background ends with the script; `timeout` ends both when a step never ends.
    const endOfJobs = "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT";
    const { stdout } = await promisify(execFile)(
      "timeout",
      [
        "--kill-after=10",
        "100",
        "bash",
        "-c",
        `exec 2>&1; set -euo pipefail\n${endOfJobs}\n${run.join("\n")}`,
      ],
      {
        cwd: folder,
        env: {
          ...stage.env,
          PATH: path.join(delimiter),
          XDG_STATE_HOME: join(stage.configDir, "state"),
        },
      },
    );
    const outputs = new Map(
      stdout.split(/^=== /m).map((part) => [Number.parseInt(part, 10), part] as const),
    );
    const shown = blocks.flatMap(({ language, text }, index) => {
      const before = blocks.findLastIndex((each, at) => at < index && each.language === "sh");
      return language === "text" ? [{ text: text.trim(), printed: outputs.get(before) }] : [];
    });
    expect(shown).toHaveLength(5);
    for (const { text, printed } of shown) {
      for (const line of text.split("\n")) expect(printed).toContain(line);
    }
    await expect.poll(() => processesOf(stage), { timeout: 20_000 }).toEqual([]);
  },
);
