import type { ProofCase, Rules } from "../proof-case.ts";
import { markedCall } from "./marked-call.ts";

const rules: Rules = [
  { when: { tool_result: { is_error: true } }, text: "Then not." },
  { when: { tool_result: "Bash" }, text: "It is done." },
  { when: { user: "make the mark" }, tools: [markedCall("one")] },
];

const question = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [
    { label: "red", description: "warm" },
    { label: "blue", description: "cold" },
  ],
};

export const approvalCases: ProofCase[] = [
  {
    name: "approve",
    title: "A call waits for its approval, and then runs once",
    rules,
    async play(scene) {
      const id = await scene.say("make the mark");
      const { request_id } = await scene.until("approval_request");
      scene.checkRuns("one", 0);
      await scene.client.approve(request_id);
      await scene.endOf(id);
      scene.checkRuns("one", 1);
    },
  },
  {
    name: "deny",
    title: "A denied call does not run, and the model is told why",
    rules,
    async play(scene) {
      const id = await scene.say("make the mark");
      const { request_id } = await scene.until("approval_request");
      await scene.client.deny(request_id, { reason: "Not on a Sunday." });
      await scene.endOf(id);
      scene.checkRuns("one", 0);
      scene.checkTold("Not on a Sunday.");
    },
  },
  {
    name: "edited-input",
    title: "A call that was changed before it was approved runs as changed",
    rules,
    async play(scene) {
      const id = await scene.say("make the mark");
      const { request_id } = await scene.until("approval_request");
      await scene.client.approve(request_id, { updatedInput: { command: "echo ran >> two" } });
      await scene.endOf(id);
      scene.checkRuns("one", 0);
      scene.checkRuns("two", 1);
    },
  },
  {
    name: "question",
    title: "A question of the model reaches the user, and the answer reaches the model",
    rules: [
      { when: { tool_result: "AskUserQuestion" }, text: "Thank you." },
      {
        when: { user: "ask me" },
        tools: [{ name: "AskUserQuestion", input: { questions: [question] } }],
      },
    ],
    async play(scene) {
      const id = await scene.say("ask me");
      const asked = await scene.until("question");
      await scene.client.answer(asked.request_id, { "Which colour?": "a green of my own" });
      await scene.endOf(id);
      scene.checkTold("a green of my own");
    },
  },
];
