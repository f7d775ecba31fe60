import { expect, test } from "vitest";
import { parseEvent } from "../../../wire/session/events.ts";
import { translate } from "./translate.ts";

test("an account limit becomes a notice with its kind and end; without a limit there is no notice", () => {
  const resets_at = "2026-11-17T12:00:00.000Z";
  const told = { status: "rejected", resets_at, kind: "five_hour", utilization: 1 };
  const [notice, ...others] = translate({ type: "rate_limit", ...told });
  expect(notice).toEqual({
    type: "notice",
    code: "rate_limit",
    message: `The account's rate limit (five_hour): rejected until ${resets_at}.`,
    data: told,
  });
  expect(others).toEqual([]);
  expect(parseEvent({ ...notice, seq: 1, at: resets_at }).ok).toBe(true);
  expect(translate({ type: "rate_limit", status: "allowed_warning" })).toMatchObject([
    { message: "The account's rate limit: allowed_warning.", data: { status: "allowed_warning" } },
  ]);
  expect(translate({ type: "rate_limit", status: "allowed" })).toEqual([]);
});
