import { diffTexts } from "./diff-texts.ts";
import type { DiffJob } from "./diff-in-worker.ts";

const TIMEOUT_MS = 5_000;

self.addEventListener("message", (event: MessageEvent<DiffJob>) => {
  self.postMessage(diffTexts(event.data.before, event.data.after, TIMEOUT_MS), {});
});
