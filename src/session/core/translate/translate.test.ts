import { expect, test } from "vitest";
import { parseEvent } from "../../../wire/session/events.ts";
import { translate } from "./translate.ts";

const logged = { seq: 1, at: "2026-11-17T00:00:00.000Z" };

test("[SES-52] silence of the model is a notice that says for how long, of whom, and what to do", () => {
  const data = { silent_ms: 180_000, parent: "toolu_1" };
  const message = "The model of a sub-agent has sent nothing for 180 s.";
  const error = { code: "stalled", message, retryable: true, hint: "Wait.", data } as const;
  const drafts = translate({ type: "stalled", ...data, error });
  expect(drafts).toEqual([
    { type: "notice", code: "stalled_stream", message, hint: "Wait.", data },
  ]);
  expect(parseEvent({ ...drafts[0], ...logged }).ok).toBe(true);
});

test("a retraction names its block or its call", () => {
  for (const named of [{ block: 2 }, { request_id: "toolu_1" }]) {
    const [draft] = translate({ type: "retracted", ...named });
    expect(parseEvent({ ...draft, ...logged })).toMatchObject({ ok: true, value: named });
  }
  expect(parseEvent({ type: "retracted", ...logged }).ok).toBe(false);
});
