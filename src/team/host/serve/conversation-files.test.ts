import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { LogIndex } from "../../../session/stored-sessions.ts";
import type { ConversationFile } from "../../../wire/host.ts";
import { pathsOfAgent } from "../local/agent-paths.ts";
import type { ConversationPlace } from "./conversation-files.ts";
import {
  installConversation,
  keepPart,
  listConversation,
  readConversation,
} from "./conversation-files.ts";

const session = "0b5d3d5c-6d0e-4b0a-9a4e-1f2a3b4c5d6e";
const other = "11111111-6d0e-4b0a-9a4e-1f2a3b4c5d6e";

const placeIn = (directory: string): ConversationPlace => ({
  paths: pathsOfAgent(directory, "coder"),
  isolation: "config",
  session,
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A machine on which the agent has worked, in this directory. */
function machine(project: string, text: string): ConversationPlace {
  const place = placeIn(tempDir());
  const { config, state } = place.paths;
  write(join(config, "projects", project, `${session}.jsonl`), text);
  write(join(config, "projects", project, session, "subagents/one.jsonl"), "");
  write(join(config, "projects", project, `${other}.jsonl`), "not mine");
  write(join(config, "settings.json"), "not mine");
  mkdirSync(join(state), { recursive: true, mode: 0o700 });
  const log = new LogIndex(state).create();
  write(join(log, "log.json"), `log of ${text}`);
  write(join(log, "blobs/b1"), "x".repeat(100_000));
  write(join(log, "cli-pid"), "17");
  new LogIndex(state).assign(session, log);
  return place;
}

async function copy(from: ConversationPlace, to: ConversationPlace): Promise<ConversationFile[]> {
  const files = await listConversation(from);
  for (const { name, bytes } of files)
    for (let offset = 0; offset < bytes; offset += 30_000) {
      const data = await readConversation(from, { name, offset, limit: 30_000 });
      await keepPart(to, { name, offset, data });
    }
  return files;
}

const transcriptsOf = ({ paths }: ConversationPlace): string[] =>
  readdirSync(join(paths.config, "projects"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(`${session}.jsonl`),
  );

test("installConversation puts a conversation of another machine in its place, with its log and nothing else", async () => {
  const [here, there] = [machine("-here", "first"), placeIn(tempDir())];
  const files = await copy(here, there);
  expect(files.map(({ name }) => name.replace(/log\/[^/]*/, "log/L")).toSorted()).toEqual([
    `claude/projects/-here/${session}.jsonl`,
    `claude/projects/-here/${session}/subagents/one.jsonl`,
    "log/L/blobs/b1",
    "log/L/log.json",
  ]);
  await installConversation(there, files);
  expect(await listConversation(there)).toEqual(files);
  const log = new LogIndex(there.paths.state).find(session);
  expect(readFileSync(join(log ?? "", "log.json"), "utf8")).toBe("log of first");
  expect(existsSync(join(there.paths.root, "arriving", session))).toBe(false);
});

test("installConversation replaces what the machine had of the conversation before", async () => {
  const [here, there] = [machine("-here", "newer"), machine("-there", "older")];
  await installConversation(there, await copy(here, there));
  expect(transcriptsOf(there)).toEqual([`-here/${session}.jsonl`]);
  const text = readFileSync(join(there.paths.config, "projects/-here", `${session}.jsonl`), "utf8");
  expect(text).toBe("newer");
});

test("installConversation changes nothing when a file did not arrive as it was", async () => {
  const [here, there] = [machine("-here", "newer"), machine("-there", "older")];
  const files = await copy(here, there);
  const name = `claude/projects/-here/${session}.jsonl`;
  await keepPart(there, { name, offset: 0, data: Buffer.from("N") });
  await expect(installConversation(there, files)).rejects.toMatchObject({ code: "invalid_params" });
  expect(transcriptsOf(there)).toEqual([`-there/${session}.jsonl`]);
});

test.each([
  "claude/settings.json",
  `claude/projects/-here/${other}.jsonl`,
  `claude/projects/-here/${session}/../../../settings.json`,
  `claude/../${session}`,
  "log/../../x",
  `log/${session}`,
  "/etc/passwd",
])("a file that is none of the conversation's is neither read nor written: %s", async (name) => {
  const place = machine("-here", "first");
  const refused = { code: "invalid_params" };
  await expect(readConversation(place, { name, offset: 0, limit: 10 })).rejects.toMatchObject(
    refused,
  );
  const data = new Uint8Array(1);
  await expect(keepPart(place, { name, offset: 0, data })).rejects.toMatchObject(refused);
});
