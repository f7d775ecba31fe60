import { defineTool } from "../../bridge/index.ts";
import type { ProofCase } from "../proof-case.ts";
import { allOf } from "../verdict.ts";

/** Prints, and continues when the case has made a file. */
const stepwise =
  "echo step one; until [ -e go ]; do sleep 0.1; done; echo step two; until [ -e end ]; do sleep 0.1; done";

/** The sums that were asked for. */
const sums: number[] = [];

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  handler: (input) => {
    const { a, b } = input as { a: number; b: number };
    sums.push(a + b);
    return `The sum is ${a + b}.`;
  },
});

export const toolCases: ProofCase[] = [
  {
    name: "own-tool",
    title: "A function of ours is called once through the bridge, and its result reaches the model",
    tools: [add],
    flags: ["--allowed-tools", "mcp__proof__add"],
    rules: [
      { when: { tool_result: "mcp__proof__add" }, text: "It is so." },
      { when: { user: "add" }, tools: [{ name: "mcp__proof__add", input: { a: 20, b: 22 } }] },
    ],
    async play(scene) {
      const before = sums.length;
      await scene.ask("add");
      scene.checkTold("The sum is 42.");
      const count = sums.length - before;
      scene.check(count === 1, `The function was called ${count} times.`);
      const { servers } = await scene.until("mcp_status");
      const isUp = servers.some(({ name, status }) => name === "proof" && status === "connected");
      scene.check(isUp, "The session does not report that our server is connected.");
    },
  },
  {
    name: "live-output",
    title: "What a command prints is told while it runs",
    flags: ["--allowed-tools", "Bash"],
    rules: [
      { when: { tool_result: "Bash" }, text: "It is done." },
      { when: { user: "wait" }, tools: [{ name: "Bash", input: { command: stepwise } }] },
    ],
    async play(scene) {
      const id = await scene.say("wait");
      await scene.until("tool_output_delta", { fits: ({ text }) => text.includes("step one") });
      scene.makeFile("go");
      await scene.until("tool_output_delta", { fits: ({ text }) => text.includes("step two") });
      scene.check(
        allOf(scene.events, "tool_result").length === 0,
        "The command had ended before the session sent its output.",
      );
      scene.makeFile("end");
      await scene.endOf(id);
      scene.checkTold("step two");
    },
  },
];
