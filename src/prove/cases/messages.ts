import type { ProofCase } from "../proof-case.ts";
import { conversationOf } from "../verdict.ts";

export const messageCases: ProofCase[] = [
  {
    name: "message",
    title: "A message is answered, and its turn ends once",
    async play(scene) {
      const done = await scene.ask("hello");
      scene.check(done.stop_reason === "completed", `The turn ended with ${done.stop_reason}.`);
      const text = scene.textOf(done.turn_id);
      scene.check(text === "I am here.", `The text that the session sent is "${text}".`);
    },
  },
  {
    name: "quiet",
    title: "A quiet message starts no turn and is in the next request",
    async play(scene) {
      await scene.ask("hello");
      const asked = scene.requests.length;
      const id = await scene.say("for your information", { quiet: true });
      await scene.until("message_seen", { fits: (event) => event.id === id });
      scene.check(scene.requests.length === asked, "A quiet message asked the model something.");
    },
  },
  {
    name: "priorities",
    title:
      "A message joins the running turn, waits for its end, or cuts it short, as its priority says",
    flags: ["--allowed-tools", "Bash"],
    rules: [
      { when: { tool_result: "Bash" }, text: "It is done." },
      {
        when: { user: "hold on" },
        tools: [{ name: "Bash", input: { command: "until [ -e go ]; do sleep 0.1; done" } }],
      },
      { when: { user: "story" }, text: "A long, long story.", delta_chars: 2, delta_delay_ms: 300 },
    ],
    async play(scene) {
      const first = await scene.say("hold on");
      await scene.until("tool_use");
      const next = await scene.say("faster, please", { from: "a colleague" });
      const later = await scene.say("and then", { priority: "later" });
      scene.makeFile("go");
      const joined = await scene.endOf(next);
      scene.check(joined.messages.includes(first), "The next message did not join the turn.");
      scene.check(!joined.messages.includes(later), "The later message did not wait for the end.");
      const told = conversationOf(scene.lastRequest);
      scene.check(told.includes("a colleague"), "The model was not told who spoke.");
      await scene.endOf(later);

      const story = await scene.say("tell a story");
      await scene.until("text_delta", { fits: ({ text }) => text.startsWith("A") });
      const now = await scene.say("stop that", { priority: "now" });
      const cut = await scene.endOf(story);
      scene.check(cut.stop_reason === "interrupted", `The story ended with ${cut.stop_reason}.`);
      await scene.endOf(now);
    },
  },
];
