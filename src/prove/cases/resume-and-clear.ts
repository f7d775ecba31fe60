import type { ProofCase } from "../proof-case.ts";
import { copiesIn } from "../verdict.ts";

export const goingOnCases: ProofCase[] = [
  {
    name: "stop-and-resume",
    title:
      "A session that was ended in the middle of a turn goes on where it was, with what waited",
    rules: [{ when: { user: "tell" }, text: "A long story.", delta_chars: 1, delta_delay_ms: 500 }],
    async play(scene) {
      await scene.ask("hello");
      const story = await scene.say("tell me");
      await scene.until("text_delta", { fits: ({ text }) => text.startsWith("A") });
      const waiting = await scene.say("and then", { priority: "later" });
      await scene.stopAndResume();
      const { stop_reason } = await scene.endOf(story);
      scene.check(stop_reason === "aborted", `The turn that was cut ended with ${stop_reason}.`);
      await scene.endOf(waiting);
    },
  },
  {
    name: "clear",
    title: "/clear goes on in another session of the CLI, also after a crash",
    async play(scene) {
      await scene.ask("hello, I am ZYXOMMA");
      await scene.clear();
      await scene.until("session_changed", { fits: ({ previous }) => previous !== undefined });
      await scene.ask("hello");
      const isForgotten = copiesIn(scene.lastRequest, "ZYXOMMA") === 0;
      scene.check(isForgotten, "The model still gets what was said before /clear.");
      await scene.killCli();
      await scene.until("notice", { fits: ({ code }) => code === "cli_restarted" });
      await scene.ask("hello");
    },
  },
];
