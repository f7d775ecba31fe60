import type { ProofCase, Rules } from "../proof-case.ts";
import type { Scene } from "../scene.ts";
import { markedCall } from "./marked-call.ts";

const rules: Rules = [
  { when: { user: "hello" }, text: "I am here." },
  { when: { user: "work" }, tools: [markedCall("one", "sleep 60")] },
  { when: { user: "tell" }, text: "A long story.", delta_chars: 1, delta_delay_ms: 500 },
];

async function abort(scene: Scene, id: string, queue: "keep" | "drop" = "keep"): Promise<void> {
  await scene.client.abort({ queue });
  const { stop_reason } = await scene.endOf(id);
  scene.check(stop_reason === "aborted", `The aborted turn ended with ${stop_reason}.`);
}

export const abortCases: ProofCase[] = [
  {
    name: "abort-while-speaking",
    title: "An abort ends the turn while the model speaks, and drops what waits if it is told to",
    rules,
    async play(scene) {
      const id = await scene.say("tell me");
      await scene.until("text_delta");
      const dropped = await scene.say("and more", { priority: "later" });
      await abort(scene, id, "drop");
      await scene.until("message_dropped", { fits: (event) => event.id === dropped });
      await scene.checkDropped();
    },
  },
  {
    name: "abort-in-a-tool",
    title: "An abort ends the turn while a tool runs",
    rules,
    async play(scene) {
      const id = await scene.say("work");
      const { request_id } = await scene.until("approval_request");
      await scene.client.approve(request_id);
      await scene.untilSo("the call runs", () => scene.runs("one") === 1);
      await abort(scene, id);
    },
  },
  {
    name: "abort-while-asked",
    title: "An abort ends the turn while a person is asked, and the call never runs",
    rules,
    async play(scene) {
      const id = await scene.say("work");
      const { request_id } = await scene.until("approval_request");
      await abort(scene, id);
      const { outcome } = await scene.until("approval_resolved", {
        fits: (event) => event.request_id === request_id,
      });
      scene.check(outcome === "aborted", `The request has the outcome ${outcome}.`);
      await scene.ask("hello");
      scene.checkRuns("one", 0);
    },
  },
];
