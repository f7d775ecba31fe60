import Anthropic, { APIConnectionError } from "@anthropic-ai/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ScriptFunction } from "./play-script.ts";
import type { ScriptInput } from "./script-schema.ts";
import type { Rehearsal } from "./start-rehearsal.ts";
import { startRehearsal } from "./start-rehearsal.ts";

async function rehearse(script: ScriptInput | ScriptFunction): Promise<Rehearsal> {
  const rehearsal = await startRehearsal({ script });
  onTestFinished(() => rehearsal.close());
  return rehearsal;
}

/** The API's own client, as a judge of what is sent. */
function clientOf({ url }: Rehearsal, agent?: string): Anthropic {
  const baseURL = agent === undefined ? url : `${url}/agents/${agent}`;
  return new Anthropic({ baseURL, apiKey: "rehearsal", maxRetries: 0 });
}

function ask(content: string) {
  return { model: "claude-x", max_tokens: 100, messages: [{ role: "user" as const, content }] };
}

/** What must not differ between a streamed answer and a whole one. */
function essence({ content, stop_reason, usage }: Anthropic.Message) {
  const { input_tokens, output_tokens } = usage;
  const blocks = content.map((block) => ({ ...block, id: "" }));
  return { blocks, stop_reason, input_tokens, output_tokens };
}

const everything = {
  thinking: "Let me think about that for a while.",
  text: "Here are two calls: 🎉 and more.",
  tools: [
    { name: "Bash", input: { command: "echo 'one'", nested: { deep: [1, 2.5, true, null] } } },
    { name: "Read", input: { file_path: "/tmp/ü\u2028" } },
  ],
};

describe("POST /v1/messages", () => {
  it("gives the API's own client the same answer, streamed and whole", async () => {
    const rehearsal = await rehearse({ default: { ...everything, usage: { output_tokens: 7 } } });
    const client = clientOf(rehearsal);
    const types: string[] = [];
    const stream = client.messages
      .stream(ask("hi"))
      .on("streamEvent", ({ type }) => types.push(type));
    const streamed = await stream.finalMessage();
    const whole = await client.messages.create(ask("hi"));

    expect(streamed.content).toMatchObject([
      { type: "thinking", thinking: everything.thinking },
      { type: "text", text: everything.text },
      { type: "tool_use", ...everything.tools[0] },
      { type: "tool_use", ...everything.tools[1] },
    ]);
    expect(streamed).toMatchObject({
      model: "claude-x",
      stop_reason: "tool_use",
      role: "assistant",
    });
    expect(streamed.usage).toMatchObject({ output_tokens: 7 });
    expect(essence(whole)).toEqual(essence(streamed));
    expect(new Set(types).size).toBe(6);
    const ids = [streamed, whole].flatMap(({ id, content }) => [
      id,
      ...content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    ]);
    expect(new Set(ids).size).toBe(6);
  });

  it("knows the agent by the path, and any other prefix too", async () => {
    const rehearsal = await rehearse({
      rules: [{ when: { agent: "grand boss" }, text: "I lead." }],
      default: { text: "I am [${agent}]." },
    });
    const texts = [];
    for (const agent of ["grand%20boss", "other", undefined]) {
      const { content } = await clientOf(rehearsal, agent).messages.create(ask("hi"));
      texts.push(content[0]);
    }
    expect(texts).toMatchObject([
      { text: "I lead." },
      { text: "I am [other]." },
      { text: "I am []." },
    ]);
    const prefixed = new Anthropic({ baseURL: `${rehearsal.url}/any/prefix`, apiKey: "x" });
    await expect(prefixed.messages.create(ask("hi"))).resolves.toBeDefined();
    expect(rehearsal.journal.entries.map(({ agent }) => agent)).toEqual([
      "grand boss",
      "other",
      null,
      null,
    ]);
  });

  it("explains why nothing matched, and counts it as a failure", async () => {
    const rehearsal = await rehearse({
      rules: [
        { when: { agent: "boss", user: "ship" }, text: "a" },
        { when: { agent: "boss", user: "/hello/", turn: 3 }, text: "b" },
        { when: { user: "hello" }, times: 1, text: "c" },
      ],
    });
    const client = clientOf(rehearsal, "boss");
    await client.messages.create(ask("hello"));
    expect(rehearsal.journal.failures).toEqual([]);
    const detail = [
      "no_rule_matched: nothing in the rehearsal's script fits this request.",
      "  agent: boss",
      "  turn: 2",
      "  model: claude-x",
      '  new from the user: "oh, hello you!"',
      "  closest rules:",
      '    rule 1: not user: "ship"',
      "    rule 2: not turn: 3",
      "    rule 3: used up (times: 1)",
    ].join("\n");
    await expect(client.messages.create(ask("oh, hello you!"))).rejects.toMatchObject({
      status: 400,
      error: { error: { type: "invalid_request_error", message: detail } },
    });
    expect(rehearsal.journal.failures).toMatchObject([{ id: 2, outcome: { detail } }]);
  });

  it("fails in the same way when the script itself throws or answers nonsense", async () => {
    const rehearsal = await rehearse(({ user }) => {
      if (user === "throw") throw new Error("out of paper");
      return { tools: "all" } as never;
    });
    const client = clientOf(rehearsal);
    await expect(client.messages.create(ask("throw"))).rejects.toThrow(
      "The script threw: out of paper",
    );
    await expect(client.messages.create(ask("x"))).rejects.toThrow("answer: tools: Invalid input");
    expect(rehearsal.journal.failures).toHaveLength(2);
  });

  it("counts tokens, roughly and monotonously", async () => {
    const client = clientOf(await rehearse({}));
    const count = async (text: string) => {
      const { max_tokens: _max, ...body } = ask(text);
      return (await client.messages.countTokens(body)).input_tokens;
    };
    expect((await count("a".repeat(4000))) - (await count(""))).toBe(1000);
  });
});

describe("what is no model request", () => {
  it("is answered as the API would", async () => {
    const { url, journal } = await rehearse({ default: { text: "hi" } });
    const answer = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${url}${path}`, init);
      return [
        response.status,
        ((await response.json()) as { error?: { type: string } }).error?.type,
      ];
    };
    expect(await answer("/agents/x/api/hello")).toEqual([200, undefined]);
    expect((await fetch(`${url}/api/hello`, { method: "HEAD" })).status).toBe(200);
    expect(await answer("/v1/models")).toEqual([404, "not_found_error"]);
    expect(await answer("/v1/messages")).toEqual([404, "not_found_error"]);
    const post = (body: string) => answer("/v1/messages", { method: "POST", body });
    expect(await post("{")).toEqual([400, "invalid_request_error"]);
    expect(await post('{"model":"m"}')).toEqual([400, "invalid_request_error"]);
    expect(await post(" ".repeat(33 * 1024 * 1024))).toEqual([413, "request_too_large"]);
    expect(journal.entries.map(({ kind, outcome }) => `${kind} ${outcome?.result}`)).toEqual([
      "hello answered",
      "hello answered",
      "other rejected",
      "other rejected",
      "other rejected",
      "other rejected",
      "other rejected",
    ]);
  });

  it("is refused when a web page sends it", async () => {
    const { url, journal } = await rehearse({ default: { text: "hi" } });
    const origin = { origin: "https://example.com" };
    const post = { method: "POST", body: "rules: []" };
    expect((await fetch(`${url}/rehearsal/script`, { ...post, headers: origin })).status).toBe(403);
    expect((await fetch(`${url}/rehearsal/journal`, { headers: origin })).status).toBe(403);
    expect(journal.events.map(({ type }) => type)).toEqual(["started"]);
  });
});

describe("startRehearsal", () => {
  it("takes the port that it is given, and says so when it is taken", async () => {
    const first = await startRehearsal({ script: {} });
    const port = Number(new URL(first.url).port);
    await expect(startRehearsal({ script: {}, port })).rejects.toMatchObject({
      code: "socket_in_use",
      message: expect.stringContaining(`127.0.0.1:${port}`) as string,
    });
    await first.close();
    const second = await startRehearsal({ script: {}, port });
    expect(second.url).toBe(first.url);
    await second.close();
    await second.close();
  });

  it("refuses a journal that it cannot write", async () => {
    const journalFile = "/nowhere/at/all/journal.jsonl";
    await expect(startRehearsal({ script: {}, journalFile })).rejects.toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining(journalFile) as string,
    });
  });

  it("refuses a wrong script before it listens", async () => {
    await expect(startRehearsal({ script: { rules: [{}] } })).rejects.toMatchObject({
      code: "script_invalid",
    });
  });

  it("ends open answers when it closes", async () => {
    const rehearsal = await rehearse({ default: { text: "hi", delay_ms: 60_000 } });
    const open = clientOf(rehearsal)
      .messages.create(ask("hi"))
      .catch((error: unknown) => error);
    await expect.poll(() => rehearsal.journal.entries.length).toBe(1);
    await rehearsal.close();
    expect(await open).toBeInstanceOf(APIConnectionError);
  });
});
