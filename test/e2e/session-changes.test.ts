import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionEventOf } from "../../src/wire/session/events.ts";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const notebook = JSON.stringify({
  cells: [
    {
      cell_type: "code",
      id: "x1",
      source: ["a = 1\n", "b = 2"],
      metadata: {},
      outputs: [],
      execution_count: null,
    },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

const files: Record<string, string> = {
  "tabs.txt": `${Array.from({ length: 20 }, (_, n) => `line ${n + 1}`).join("\n")}\n\ttwo\nend\n`,
  "crlf.txt": "a\r\nb\r\nc\r\n",
  "curly.txt": "I say “hi” now\n",
  "over.txt": "\tq\nb\n",
  "all.txt": "x\ny\nx\n",
  "gone.txt": "keep\ngo\nkeep\n",
  "n.ipynb": notebook,
};

/** The calls of each tool whose request must say what the result says afterwards. */
const calls = (path: (name: string) => string) => ({
  numbers: {
    name: "Edit",
    input: { file_path: path("tabs.txt"), old_string: "\ttwo", new_string: "\tTWO $& <x>" },
  },
  crlf: {
    name: "Edit",
    input: { file_path: path("crlf.txt"), old_string: "b\nc", new_string: "B\nC" },
  },
  curly: {
    name: "Edit",
    input: { file_path: path("curly.txt"), old_string: '"hi"', new_string: '"bye"' },
  },
  every: {
    name: "Edit",
    input: { file_path: path("all.txt"), old_string: "x", new_string: "z", replace_all: true },
  },
  removed: {
    name: "Edit",
    input: { file_path: path("gone.txt"), old_string: "go", new_string: "" },
  },
  fresh: {
    name: "Edit",
    input: { file_path: path("fresh.txt"), old_string: "", new_string: "new\n" },
  },
  over: { name: "Write", input: { file_path: path("over.txt"), content: "\ta\nb" } },
  made: { name: "Write", input: { file_path: path("made.txt"), content: "m\n" } },
  cell: {
    name: "NotebookEdit",
    input: { notebook_path: path("n.ipynb"), cell_id: "x1", new_source: "a = 1\nb = 3" },
  },
});

async function atFiles() {
  const stage = await setStage((cwd) => {
    const path = (name: string): string => join(cwd, name);
    const read = Object.keys(files).map((name) => ({
      name: "Read",
      input: { file_path: path(name) },
    }));
    const edit = calls(path).removed;
    return {
      rules: [
        { when: { tool_result: "Agent" }, text: "It has done it." },
        { when: { tool_result: { is_error: true } }, text: "Then not." },
        ...["Read", "Edit", "Write", "NotebookEdit"].map((name) => ({
          when: { tool_result: name },
          text: "Done.",
        })),
        { when: { user: "read all" }, tools: read },
        ...Object.entries(calls(path)).map(([word, call]) => ({
          when: { user: `do ${word}` },
          tools: [call],
        })),
        {
          when: { user: "sub-agent, read" },
          tools: [{ name: "Read", input: { file_path: path("gone.txt") } }, edit],
        },
        {
          when: { user: "delegate" },
          tools: [
            {
              name: "Agent",
              input: {
                description: "edit",
                prompt: "sub-agent, read",
                subagent_type: "general-purpose",
              },
            },
          ],
        },
        { text: "The needle lies in the middle of a text that comes in many pieces." },
      ],
    };
  });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(stage.cwd, name), content);
  const talk = await Conversation.start(stage);
  await talk.ask("read all");
  return { stage, talk };
}

type Changes = SessionEventOf<"approval_request">["changes"];

test("[SES-70] [SES-71] [SES-72] [SES-73] what a request shows of Edit, Write and NotebookEdit is what the result reports; a streamed text is found and joined", async () => {
  const { stage, talk } = await atFiles();
  const told: Record<string, Changes> = {};
  for (const word of Object.keys(calls(String))) {
    const since = talk.told.length;
    const id = await talk.say(`do ${word}`);
    const request = await talk.until("approval_request", { since });
    await talk.send({ type: "approve", request_id: request.request_id });
    await talk.endOf(id);
    const result = talk.all("tool_result", since).at(-1);
    expect({ word, ...result }).toMatchObject({ word, is_error: false });
    expect({ word, changes: result?.changes }).toEqual({ word, changes: request.changes });
    expect(request.changes).toHaveLength(1);
    told[word] = request.changes;
  }
  expect(told["numbers"]).toEqual([
    {
      path: join(stage.cwd, "tabs.txt"),
      kind: "edit",
      added: 1,
      removed: 1,
      hunks: [
        {
          old_start: 18,
          old_lines: 5,
          new_start: 18,
          new_lines: 5,
          lines: [" line 18", " line 19", " line 20", "-\ttwo", "+\tTWO $& <x>", " end"],
        },
      ],
    },
  ]);
  expect(told["curly"]).toMatchObject([
    { hunks: [{ lines: [expect.anything(), "+I say “bye” now"] }] },
  ]);
  expect(readFileSync(join(stage.cwd, "curly.txt"), "utf8")).toBe("I say “bye” now\n");
  expect(told["removed"]).toMatchObject([{ added: 0, removed: 1 }]);
  expect(readFileSync(join(stage.cwd, "gone.txt"), "utf8")).toBe("keep\nkeep\n");
  expect([told["fresh"], told["made"]]).toMatchObject([[{ kind: "add" }], [{ kind: "add" }]]);
  await talk.ask("where is it?");
  const pieces = talk
    .all("text_delta")
    .filter(({ turn_id }) => turn_id === talk.all("done").at(-1)?.turn_id);
  expect(pieces.length).toBeGreaterThan(1);
  expect(
    await talk.log.search("LIES IN THE MIDDLE OF A TEXT THAT COMES", undefined, 5),
  ).toMatchObject({
    hits: [{ type: "text_delta", preview: expect.stringContaining("The needle lies") }],
    more: false,
  });
  const { events } = await talk.log.history(undefined, 20, { whole: true });
  expect(
    events.filter(({ seq }) => seq >= (pieces[0]?.seq ?? 0) && seq <= (pieces.at(-1)?.seq ?? 0)),
  ).toEqual([{ ...pieces[0], text: pieces.map(({ text }) => text).join("") }]);
  expect(told["cell"]).toMatchObject([{ cell: { id: "x1", edit: "replace" }, added: 1 }]);
});

test("[SES-70] [SES-71] an edited input, a sub-agent's call, a denial, and a request that is asked again after a crash", async () => {
  const { stage, talk } = await atFiles();
  const asked = async (text: string) => {
    const since = talk.told.length;
    const id = await talk.say(text);
    return { since, id, request: await talk.until("approval_request", { since }) };
  };
  const edited = await asked("do over");
  await talk.send({
    type: "approve",
    request_id: edited.request.request_id,
    updated_input: { ...edited.request.input, content: "\tq\nB\n" },
  });
  await talk.endOf(edited.id);
  expect(talk.all("tool_result", edited.since).at(-1)?.changes).toMatchObject([
    { hunks: [{ lines: [" \tq", "-b", "+B"] }] },
  ]);

  const sub = await asked("delegate");
  expect(sub.request).toMatchObject({ parent: expect.any(String), changes: [{ removed: 1 }] });
  await talk.send({ type: "approve", request_id: sub.request.request_id });
  const { request_id } = sub.request;
  const subResult = await talk.until("tool_result", {
    since: sub.since,
    fits: (each) => each.request_id === request_id,
  });
  await talk.endOf(sub.id);
  expect(subResult).toMatchObject({ parent: sub.request.parent, changes: sub.request.changes });

  const denied = await asked("do every");
  await talk.send({ type: "deny", request_id: denied.request.request_id });
  await talk.endOf(denied.id);
  const deniedResult = talk.all("tool_result", denied.since).at(-1);
  expect(deniedResult?.is_error).toBe(true);
  expect(deniedResult).not.toHaveProperty("changes");

  const lost = await asked("do every");
  expect(lost.request.changes).toMatchObject([{ added: 2, removed: 2 }]);
  process.kill(cliPidOf(stage), "SIGKILL");
  const again = await talk.until("approval_request", {
    since: lost.since,
    fits: (event) => event.again === true || event.replaces !== undefined,
  });
  expect(again.changes).toEqual(lost.request.changes);
  await talk.send({ type: "deny", request_id: again.request_id });
  await talk.endOf(lost.id);
});
