import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Argument, Command, Option } from "commander";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { completionScript } from "./completion.ts";

const program = new Command("my-tool").description("d").version("1");
program.addCommand(
  new Command("up").option("--state-dir <dir>", "where").option("--json", "as JSON"),
);
program.addCommand(
  new Command("log")
    .description("it's the log")
    .addOption(new Option("--level <l>", "x").choices(["WARN", "INFO"])),
);
program.addCommand(
  new Command("letters")
    .addArgument(new Argument("[action]", "what").choices(["list", "resend"]))
    .argument("[id]", "which")
    .option("--all", "all"),
);

/** What bash offers when the Tab key is pressed behind the last of these words. */
function offered(...words: string[]): string[] {
  const script =
    `${completionScript(program, "bash")}\n` +
    `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _my_tool; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" });
  return out.split("\n").filter((line) => line !== "");
}

test("bash completes commands, the options of a command, and the values of an option", () => {
  expect(offered("my-tool", "")).toEqual(["up", "log", "letters", "--version", "--help"]);
  expect(offered("my-tool", "lo")).toEqual(["log"]);
  expect(offered("my-tool", "up", "--s")).toEqual(["--state-dir"]);
  expect(offered("my-tool", "log", "--level", "W")).toEqual(["WARN"]);
});

test("bash completes the fixed words of a command's first argument, and not behind them", () => {
  expect(offered("my-tool", "letters", "")).toEqual(["list", "resend", "--all", "--help"]);
  expect(offered("my-tool", "letters", "re")).toEqual(["resend"]);
  expect(offered("my-tool", "letters", "--all", "re")).toEqual(["resend"]);
  expect(offered("my-tool", "letters", "resend", "")).toEqual(["--all", "--help"]);
});

test("bash completes files where no word matches", () => {
  expect(offered("my-tool", "up", "package.js")).toEqual(["package.json"]);
});

/** What stands on the line of an interactive zsh when the Tab key is pressed behind each of these. */
function completedByZsh(...lines: string[]): string[] {
  const home = tempDir();
  writeFileSync(join(home, "completion.zsh"), completionScript(program, "zsh"));
  // Ctrl+X shows the line and clears it.
  const setting =
    'PS1=; source ./completion.zsh; show() { print -r -- "<$BUFFER>"; BUFFER= }; ' +
    "zle -N show; bindkey '^X' show; bindkey '^I' complete-word; echo rea''dy";
  const steps = lines.map(
    (line) => `zpty -w -n z $'${line}\\t\\C-x'; zpty -r z out '*<*>*'; print -r -- "$out"`,
  );
  const driver = [
    "zmodload zsh/zpty",
    "zpty z 'TERM=dumb zsh -f -i'",
    `zpty -w z ${JSON.stringify(setting).replaceAll("$", String.raw`\$`)}`,
    "zpty -r z out '*ready*'",
    ...steps,
    "zpty -d z",
  ];
  const { stdout } = spawnSync("timeout", ["30", "zsh", "-f", "-c", driver.join("\n")], {
    cwd: home,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: home },
  });
  return [...stdout.matchAll(/<(my-tool [^>]*)>/g)].map(([, line = ""]) => line.trim());
}

test("zsh completes commands, the options of a command, and the values of an option", ({
  skip,
}) => {
  skip(spawnSync("zsh", ["--version"]).error !== undefined, "zsh is not installed");
  expect(
    completedByZsh("my-tool lo", "my-tool up --s", "my-tool log --level W", "my-tool letters re"),
  ).toEqual([
    "my-tool log",
    "my-tool up --state-dir",
    "my-tool log --level WARN",
    "my-tool letters resend",
  ]);
});

test("fish gets a line for each command and option, with its description in quotes", () => {
  const script = completionScript(program, "fish");
  expect(script).toContain(`-a log -d 'it\\'s the log'`);
  expect(script).toContain(`"__fish_seen_subcommand_from up" -l state-dir -r -d 'where'`);
  expect(script).toContain(`-l level -x -a 'WARN INFO' -d 'x'`);
  expect(script).toContain(
    `"__fish_seen_subcommand_from letters; and not __fish_seen_subcommand_from list resend" -a 'list resend' -d 'what'`,
  );
});
