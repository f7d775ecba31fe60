import type { ProofCase, Rules } from "../proof-case.ts";
import { allOf } from "../verdict.ts";
import { markedCall } from "./marked-call.ts";

const subAgent = (background: boolean) => ({
  name: "Agent",
  input: {
    description: "an errand",
    prompt: "SUBWORK please",
    subagent_type: "general-purpose",
    run_in_background: background,
  },
});

const rulesFor = (background: boolean): Rules => [
  { when: { tool_result: "Bash" }, text: "The errand is done." },
  { when: { user: "SUBWORK" }, tools: [markedCall("one")], times: 1 },
  { when: { user: "delegate" }, tools: [subAgent(background)], times: 1 },
];

export const subAgentCases: ProofCase[] = [
  {
    name: "sub-agent",
    title: "A sub-agent asks for its call, and its events name the call that started it",
    rules: rulesFor(false),
    async play(scene) {
      const id = await scene.say("delegate");
      const request = await scene.until("approval_request");
      const started = await scene.until("subagent_started");
      const isNamed = request.parent === started.request_id;
      scene.check(isNamed, "The sub-agent's request does not name its parent.");
      await scene.client.approve(request.request_id);
      await scene.endOf(id);
      scene.checkRuns("one", 1);
      const ended = allOf(scene.events, "subagent_ended");
      const isOver = ended.length === 1 && ended[0]?.outcome === "completed";
      scene.check(isOver, "The session did not report the sub-agent as completed exactly once.");
    },
  },
  {
    name: "sub-agent-news",
    title:
      "The news that a background sub-agent has ended is a turn of its own, and the session does not take it for another program's message",
    rules: rulesFor(true),
    async play(scene) {
      await scene.ask("delegate");
      const { request_id } = await scene.until("approval_request");
      const since = scene.events.length;
      await scene.client.approve(request_id);
      await scene.until("subagent_ended");
      const news = await scene.until("turn_started", {
        since,
        fits: ({ cause }) => cause === "background",
      });
      await scene.until("done", { fits: ({ turn_id }) => turn_id === news.turn_id });
      await scene.ask("hello");
      await scene.stopAndResume();
      await scene.ask("hello");
      scene.checkRuns("one", 1);
    },
  },
];
