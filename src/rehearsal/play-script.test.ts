import { describe, expect, it } from "vitest";
import { checkScript } from "./load-script.ts";
import { MessagesRequestSchema } from "./messages-api.ts";
import type { ScriptFunction } from "./play-script.ts";
import { Play } from "./play-script.ts";
import type { RequestView, SeenToolResult } from "./request-view.ts";
import type { ScriptInput } from "./script-schema.ts";

function request(facts: Partial<RequestView> = {}): RequestView {
  const body = MessagesRequestSchema.parse({ model: "claude-x", messages: [] });
  return {
    side: undefined,
    agent: undefined,
    session: "s",
    subagent: undefined,
    model: body.model,
    system: "You are the boss.",
    user: facts.newUserTexts?.at(-1),
    newUserTexts: [],
    newPeerTexts: [],
    newReminders: [],
    newToolResults: [],
    body,
    ...facts,
  };
}

const says = (text: string) => request({ newUserTexts: [text] });
const result = (name: string, text: string, is_error = false): SeenToolResult => ({
  id: "x",
  name,
  text,
  is_error,
});

function play(script: ScriptInput | ScriptFunction): Play {
  return new Play(checkScript(script));
}

async function texts(of: Play, ...views: RequestView[]): Promise<(string | undefined)[]> {
  const answers = [];
  for (const view of views) answers.push((await of.choose(view))?.answer.text);
  return answers;
}

function trace(seed?: number): string {
  const script = play(seed === undefined ? {} : { seed });
  return [script.nextId("msg"), script.nextId("toolu"), script.draw([0, 1e5])].join();
}

describe("a script of rules", () => {
  it("answers with the first rule that fits, then with the default, else not at all", async () => {
    const rules = [
      { when: { user: "a" }, text: "one" },
      { when: { user: "a b" }, text: "two" },
      { when: { user: "b" }, text: "three" },
    ];
    expect(await texts(play({ rules }), says("a b"), says("b"), says("c"))).toEqual([
      "one",
      "three",
      undefined,
    ]);
    expect(await play({ rules, default: { text: "else" } }).choose(says("c"))).toEqual({
      rule: "default",
      answer: { text: "else" },
    });
    expect(await play({ rules }).choose(says("b"))).toMatchObject({ rule: 3 });
  });

  it("uses a rule the given number of times, then the next", async () => {
    const busy = play({
      rules: [
        { times: 2, fault: { kind: "http", status: 529 } },
        { times: 1, text: "here" },
      ],
    });
    const kinds = [];
    for (let at = 0; at < 4; at += 1) {
      const choice = await busy.choose(says("x"));
      kinds.push(choice?.answer.fault?.kind ?? choice?.answer.text);
    }
    expect(kinds).toEqual(["http", "http", "here", undefined]);
  });

  it.each([
    ["agent", { agent: "boss" }, request({ agent: "boss" }), request({ agent: "bossy" })],
    ["agent as expression", { agent: "/^b/" }, request({ agent: "boss" }), request()],
    ["user", { user: "hello" }, says("oh hello you"), says("hi")],
    [
      "the newest of several texts",
      { user: "b" },
      request({ newUserTexts: ["b", "a"] }),
      says("a"),
    ],
    ["user is new", { user: "a" }, says("a"), request({ user: "a" })],
    [
      "peer",
      { peer: "ping" },
      request({ newPeerTexts: ["ping"] }),
      request({ newUserTexts: ["ping"] }),
    ],
    ["reminder", { reminder: "done" }, request({ newReminders: ["task done"] }), says("done")],
    [
      "tool by name",
      { tool_result: "Bash" },
      request({ newToolResults: [result("Bash", "x")] }),
      request({ newToolResults: [result("BashOutput", "x")] }),
    ],
    [
      "tool by text",
      { tool_result: { text: "/ok/" } },
      request({ newToolResults: [result("A", "ok"), result("B", "no")] }),
      request({ newToolResults: [result("A", "no")] }),
    ],
    [
      "tool by name and text of the same result",
      { tool_result: { name: "A", text: "ok" } },
      request({ newToolResults: [result("A", "ok")] }),
      request({ newToolResults: [result("A", "no"), result("B", "ok")] }),
    ],
    [
      "failed tool",
      { tool_result: { is_error: true } },
      request({ newToolResults: [result("A", "x", true)] }),
      request({ newToolResults: [result("A", "x")] }),
    ],
    [
      "what the user had asked for when the tool came back",
      { tool_result: "A", user: "list" },
      request({ user: "list it", newToolResults: [result("A", "x")] }),
      request({ user: "count it", newToolResults: [result("A", "x")] }),
    ],
    ["model", { model: "haiku" }, request({ model: "claude-haiku-4-5" }), request()],
    ["system", { system: "/the (\\w+)/" }, request(), request({ system: "You are a tester." })],
    ["side calls on request", { kind: "side" as const }, request({ side: "plain" }), request()],
    ["conversations else", {}, request(), request({ side: "plain" })],
  ])("matches on %s", async (_name, when, yes, no) => {
    const script = { rules: [{ when, text: "yes" }] };
    expect((await play(script).choose(yes))?.rule).toBe(1);
    expect((await play(script).choose(no))?.rule).not.toBe(1);
  });

  it("captures from the newest text that fits", async () => {
    const script = play({ rules: [{ when: { user: "/say (\\w+)/" }, text: "$1" }] });
    const view = request({ newUserTexts: ["say one", "say two", "or not"] });
    expect(await texts(script, view)).toEqual(["two"]);
  });

  it("numbers groups through agent, system, user, peer and tool result", async () => {
    const when = {
      tool_result: { name: "/(B)ash/", text: "/(\\d+)/" },
      user: "/(?<verb>list) (\\w+)/",
      agent: "/(.*)/",
    };
    const view = request({
      agent: "boss",
      user: "list files",
      newToolResults: [result("Bash", "7 files")],
    });
    const answers = await texts(
      play({ rules: [{ when, text: "$1 $2 $3 $4 $5 ${verb} ${tool_result}" }] }),
      view,
    );
    expect(answers).toEqual(["boss list files B 7 list 7 files"]);
  });

  it("counts turns per conversation, and only answers that went out whole", async () => {
    const script = play({
      rules: [
        { when: { turn: 1 }, text: "first" },
        { when: { turn: 2 }, text: "second" },
      ],
    });
    const one = says("x");
    expect(await texts(script, one, one)).toEqual(["first", "first"]);
    script.advance(one);
    expect(await texts(script, one)).toEqual(["second"]);
    for (const other of [{ session: "t" }, { subagent: "sub" }, { agent: "a" }]) {
      expect(await texts(script, { ...one, ...other })).toEqual(["first"]);
    }
    script.advance({ ...one, side: "plain" });
    expect(script.turnOf(one)).toBe(2);
  });

  it("draws delays from ranges, sets the script's pace for all, and lets a rule differ", async () => {
    const script = play({
      delay_ms: [10, 20],
      delta_delay_ms: 5,
      rules: [{ when: { user: "slow" }, text: "a", delay_ms: 2000 }],
      default: { text: "b" },
    });
    expect((await script.choose(says("slow")))?.answer).toMatchObject({
      delay_ms: 2000,
      delta_delay_ms: 5,
    });
    const { answer } = (await script.choose(says("x")))!;
    const drawn = Array.from({ length: 200 }, () => script.draw(answer.delay_ms));
    expect(Math.min(...drawn)).toBe(10);
    expect(Math.max(...drawn)).toBe(20);
    expect(script.draw(undefined)).toBe(0);
  });

  it("repeats ids and delays with a seed, and only then", () => {
    expect(trace(7)).toBe(trace(7));
    expect(trace(7)).toMatch(/^msg_rehearsal_seed7_0001,toolu_rehearsal_seed7_0002,/);
    expect(trace(7)).not.toBe(trace(8));
    expect(trace()).not.toBe(trace());
  });

  it("has answers of its own for side calls, which a default does not claim", async () => {
    const script = play({ default: { text: "default" } });
    const body = MessagesRequestSchema.parse({
      model: "m",
      messages: [],
      output_config: { format: { schema: { properties: { title: {} } } } },
    });
    expect(await script.choose(request({ side: "structured", body }))).toEqual({
      rule: "built-in",
      answer: { text: '{"title":"Rehearsal"}' },
    });
    expect((await script.choose(request({ side: "compact" })))?.answer.text).toContain("<summary>");
  });
});

describe("a script in code", () => {
  it("gets the request, the turn and a memory of its own", async () => {
    const script = play(({ user }, { turn, memory }) => {
      memory.set("asked", Number(memory.get("asked") ?? 0) + 1);
      return user === "silence"
        ? undefined
        : { text: `${user} ${turn} ${String(memory.get("asked"))}` };
    });
    const view = says("hi");
    expect(await texts(script, view, view, says("silence"))).toEqual([
      "hi 1 1",
      "hi 1 2",
      undefined,
    ]);
    expect(await script.choose(request({ side: "plain" }))).toMatchObject({ rule: "built-in" });
  });

  it("has its answer checked", async () => {
    const wrong = (() => ({ txt: "hi" })) as unknown as ScriptFunction;
    await expect(play(wrong).choose(says("hi"))).rejects.toThrow('answer: Unknown field "txt"');
  });
});
