import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { roleRule, TeamStage } from "../support/team-stage.ts";

// It starts many processes, which a busy machine is slow at.
const SLOW_MS = 300_000;

const team = `
name: flows
lead: boss
timeouts: { receive: 20, task: 60 }
limits: { content_bytes: 2000, thinking_bytes: 1000, inline_bytes: 300 }
agents:
  boss: { description: leads, prompt: PERSONA-OF-BOSS. You lead., may_message: [manager], workdir: work, tools: { allow: [Bash] } }
  manager: { description: manages, prompt: PERSONA-OF-MANAGER. You manage., may_message: [boss, coder], workdir: work }
  coder: { description: codes, prompt: PERSONA-OF-CODER. You code., may_message: [manager], workdir: work }
`;

const send = (to: string, content: string, more = ""): string =>
  `{ name: mcp__team__send_message, input: { to: ${to}, content: '${content}'${more} } }`;

const script = `
rules:${roleRule}
  # A task goes down the hierarchy and its result comes up again.
  - when: { agent: boss, user: build it }
    tools: [${send("manager", "please have it built", ", thinking: SECRET-THOUGHT, wait: true")}]
  - when: { agent: manager, peer: please have it built }
    tools: [${send("coder", "write the program", ", wait: true")}]
  - when: { agent: coder, peer: write the program }
    text: The program is written.
  - when: { agent: manager, tool_result: { text: /The program is written/ } }
    text: "It is built: the program is written."
  - when: { agent: boss, tool_result: { text: "/It is built: (.*)/" } }
    text: "Done: $1"
  # Each rule of the team, broken once.
  - when: { agent: boss, user: break the rules }
    tools:
      - ${send("coder", "past the manager")}
      - ${send("nobody", "to nobody")}
      - ${send("user", "to the user")}
      - ${send("manager", "x".repeat(2100))}
      - ${send("manager", "a long thought", `, thinking: ${"y".repeat(1100)}`)}
      - ${send("manager", "an answer to nothing", ", reply_to: 5f0c8f9e-6d0a-4a52-9d4e-0b1f6f0a7c11")}
      - ${send("manager", "halt", ", type: shutdown")}
      - ${send("manager", "are you there", ", type: ping")}
  - when: { agent: boss, user: break the rules, tool_result: { text: /pong/ } }
    text: I have tried.
  # A question of the one who is awaited ends the wait.
  - when: { agent: boss, user: ask back }
    tools: [${send("manager", "which colour", ", wait: true")}]
  - when: { agent: manager, peer: which colour }
    tools: [${send("boss", "which colours are there", ", wait: true")}]
  - when: { agent: boss, tool_result: { text: '/asks something first \\(message ([0-9a-f-]+)\\)/' } }
    tools: [{ name: mcp__team__send_message, input: { to: manager, content: red and blue, reply_to: "$1", wait: true } }]
  - when: { agent: manager, tool_result: { text: /red and blue/ } }
    text: Then blue.
  - when: { agent: boss, tool_result: { text: /Then blue/ } }
    text: The colour is blue.
  # A long body is a preview, and can be read.
  - when: { agent: boss, user: long }
    tools: [${send("manager", `${"long ".repeat(150)}END-OF-IT`, ", wait: true")}]
  - when: { agent: manager, peer: '/read_message {"id": "([0-9a-f-]+)"}/' }
    tools: [{ name: mcp__team__read_message, input: { id: "$1" } }]
  - when: { agent: manager, tool_result: { name: mcp__team__read_message, text: /END-OF-IT/ } }
    text: I have read it to the end.
  - when: { agent: boss, tool_result: { text: /read it to the end/ } }
    text: It was read.
  # News without a turn, and an answer that comes as a message: the user's own waits for it.
  - when: { agent: boss, user: by the way }
    tools:
      - ${send("manager", "for your information only", ", type: info")}
      - ${send("manager", "now do something")}
  - when: { agent: boss, user: by the way, tool_result: { text: /accepted/ } }
    text: I have told them.
  - when: { agent: manager, peer: now do something }
    text: Something is done.
    delay_ms: 1000
  - when: { agent: boss, peer: Something is done }
    text: I have heard.
  # An answer that comes while a tool runs.
  - when: { agent: boss, user: work meanwhile }
    tools:
      - ${send("manager", "a short question")}
      - { name: Bash, input: { command: "while [ ! -e go-on ]; do sleep 0.1; done; echo WORKED" } }
  - when: { agent: manager, peer: a short question }
    text: A short answer.
  - when: { agent: boss, peer: A short answer, tool_result: { text: /WORKED/ } }
    text: I have both.
default: { text: UNEXPECTED }
`;

test(
  "a team takes a task down its hierarchy and the result up, keeps its rules, and leaves nothing behind",
  { timeout: SLOW_MS },
  async () => {
    const stage = new TeamStage(team, script);
    mkdirSync(stage.work);
    const run = await stage.up({ ready: ["boss", "manager", "coder"] });

    // One after the other, so that not all of them claim the machine at once: 150 ms apart, and a timer may
    // count from a little before.
    const startOf = (agent: string): number => {
      const start = run.told.find(
        (event) =>
          event.type === "agent_state" && event.agent === agent && event.state === "starting",
      );
      return Date.parse(start?.at ?? "");
    };
    expect(startOf("coder") - startOf("boss")).toBeGreaterThanOrEqual(200);

    // Flow 1: configuration first, then the persona on the wire.
    const settings = readFileSync(
      join(stage.stateDir, "agents/coder/.claude/settings.json"),
      "utf8",
    );
    expect(JSON.parse(settings)).toMatchObject({
      agents: { coder: { description: "codes", prompt: "PERSONA-OF-CODER. You code." } },
    });
    const [first] = await stage.requests("coder");
    expect(first?.system).toContain("PERSONA-OF-CODER");
    expect(first?.system).not.toContain("PERSONA-OF-BOSS");
    expect(first?.tools).toEqual(
      expect.arrayContaining([
        "mcp__team__send_message",
        "mcp__team__list_agents",
        "mcp__team__read_message",
        "mcp__team__list_tasks",
      ]),
    );
    for (const off of ["SendMessage", "AskUserQuestion", "CronCreate", "Workflow"]) {
      expect(first?.tools).not.toContain(off);
    }

    // Flows 2 and 3.
    expect(await run.ask("build it")).toBe("Done: the program is written.");
    const coderRequests = await stage.requests("coder");
    const heard = coderRequests.at(-1);
    expect(heard?.new_peer_texts.join()).toContain("write the program");
    expect(heard?.new_user_texts).toEqual([]);
    for (const agent of ["manager", "coder"]) {
      for (const entry of await stage.requests(agent)) {
        const everything = JSON.stringify(entry.body);
        expect(everything).not.toContain('build it"');
        expect(everything).not.toContain("SECRET-THOUGHT");
      }
    }

    // Rules.
    expect(await run.ask("break the rules")).toBe("I have tried.");
    const refused = run.told.flatMap((event) =>
      event.type === "refused" ? [event.error.code] : [],
    );
    expect(refused.toSorted()).toEqual([
      "agent_not_found",
      "invalid_params",
      "message_too_large",
      "message_too_large",
      "not_allowed",
      "not_allowed",
      "not_allowed",
    ]);
    const results = (await stage.requests("boss")).at(-1)?.new_tool_results ?? [];
    expect(results.map(({ text }) => /^Error (-\d+)/.exec(text)?.[1])).toEqual([
      "-32003",
      "-32000",
      "-32003",
      "-32010",
      "-32010",
      "-32602",
      "-32003",
      undefined,
    ]);

    // A question ends a wait; two agents never wait for each other.
    expect(await run.ask("ask back")).toBe("The colour is blue.");
    expect(await run.ask("long")).toBe("It was read.");

    // Quiet news start no turn, and stand before the request that follows them.
    expect(await run.ask("by the way")).toBe("I have heard.");
    const managed = (await stage.requests("manager")).at(-1);
    const [news, request] = ["for your information only", "now do something"].map((words) =>
      JSON.stringify(managed?.body?.messages).indexOf(words),
    );
    expect(news).toBeGreaterThan(-1);
    expect(request).toBeGreaterThan(news ?? 0);

    // An answer that joins a running turn is a peer's, beside the result of the tool, and starts no other turn.
    const since = run.told.length;
    const both = run.ask("work meanwhile");
    await run.until("message_moved", {
      since,
      fits: ({ from_agent, step }) => from_agent === "manager" && step === "pushed",
    });
    writeFileSync(join(stage.work, "go-on"), "");
    expect(await both).toBe("I have both.");
    const joined = (await stage.requests("boss")).at(-1);
    expect(joined?.new_peer_texts.join()).toContain("A short answer");
    expect(joined?.new_user_texts).toEqual([]);
    expect(joined?.new_tool_results.map(({ text }) => text).join()).toContain("WORKED");
    const turns = run.told.slice(since).filter((event) => event.type === "turn_started");
    expect(turns.map(({ agent }) => agent)).toEqual(["boss", "manager"]);

    const { out } = await stage.run("tasks", "--all", "--json", "--state-dir", stage.stateDir);
    const states = out
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { state: string }).state);
    expect(new Set(states)).toEqual(new Set(["completed"]));
    expect(await stage.rehearsal.failures()).toEqual([]);

    const down = await stage.run("down", "--state-dir", stage.stateDir);
    expect(down.out).toContain("is stopped");
    expect(await run.exited).toBe(0);
    expect(stage.processes()).toEqual([]);
    expect(stage.sockets()).toEqual([]);
  },
);
