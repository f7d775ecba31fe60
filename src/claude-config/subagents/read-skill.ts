import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readFrontMatter } from "./front-matter.ts";

/** What a skill tells the model, and where its files are. */
export interface SkillText {
  readonly directory: string;
  readonly text: string;
}

/** The skill of that name in the first folder that has it; undefined when none has one that can be read. */
export function readSkill(name: string, folders: readonly string[]): SkillText | undefined {
  // A name is no path.
  if (name.includes("/") || name.startsWith(".")) return undefined;
  for (const folder of folders) {
    const path = join(folder, name, "SKILL.md");
    const text = textOf(path);
    if (text !== undefined) return { directory: dirname(path), text };
  }
  return undefined;
}

function textOf(path: string): string | undefined {
  try {
    const whole = readFileSync(path, "utf8");
    const front = readFrontMatter(whole);
    const text = "issue" in front ? whole.trim() : front.body;
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}
