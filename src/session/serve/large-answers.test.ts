import { expect, test } from "vitest";
import type { LoggedSession } from "../../../test/support/logged-session.ts";
import { loggedSession } from "../../../test/support/logged-session.ts";
import { connectLines, serveLogged } from "../../../test/support/serve-logged-session.ts";
import { SessionLineClient } from "../../../test/support/session-line-client.ts";
import { parseSessionMessage } from "../../wire/session/answers.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";

/** Requests that are too much for one line, as they stand in the log. */
function manyRequests({ log }: LoggedSession): PendingRequest[] {
  return Array.from({ length: 45 }, (_, n) => {
    const input = { file_path: "/x", content: `${n} ${"x".repeat(250_000)}` };
    const scopes = [{ scope: "once" as const, label: "Allow" }];
    const asked = { request_id: `r${n}`, tool: "Write", input, scopes };
    return log.append({ type: "approval_request", ...asked }) as PendingRequest;
  });
}

test("[SES-2] [SES-46] requests that exceed one line are listed with references", async () => {
  const session = loggedSession();
  const pending = manyRequests(session);
  const status = () => ({ ...loggedStatus, pending });
  const loggedStatus = session.status();
  const path = await serveLogged({ ...session, status });
  const client = await connectLines(path);
  client.send({ type: "status" });
  for (const type of ["init", "status"]) {
    const told = await client.until(type);
    expect(parseSessionMessage(told)).toMatchObject({ ok: true });
    const requests = told["pending"] as { request_id: string; input: { blob: string } }[];
    expect(requests.map(({ request_id }) => request_id)).toEqual(
      pending.map(({ request_id }) => request_id),
    );
    const since = client.told.length;
    client.send({ type: "get_blob", blob: requests[7]?.input.blob });
    const { data } = await client.until("blob", { since });
    expect(JSON.parse(Buffer.from(String(data), "base64").toString())).toMatchObject({
      content: expect.stringMatching(/^7 x+$/),
    });
  }
});

test("a client whose init cannot be sent gets the reason, and no other client is affected", async () => {
  const session = loggedSession();
  const fits = session.status();
  let cwd = fits.cwd;
  const path = await serveLogged({ ...session, status: () => ({ ...fits, cwd }) });
  const early = await connectLines(path);
  cwd = "x".repeat(11_000_000);
  const late = new SessionLineClient(path);
  expect(await late.until("error")).toMatchObject({ code: "message_too_large" });
  await late.ended;
  early.send({ type: "status", ref: "s" }, { type: "ping" });
  expect(await early.until("error")).toMatchObject({ code: "message_too_large", ref: "s" });
  await early.until("pong");
});

test.each(["dance", "ping", "status", "shutdown"])(
  "[SES-16] a ref that is too long to be repeated is left out: %s",
  async (type) => {
    const client = await connectLines(await serveLogged(loggedSession()));
    client.send({ type, ref: "x".repeat(10_485_700) });
    const answer = await client.until("error");
    expect(answer).toMatchObject({ code: "message_too_large" });
    expect(answer).not.toHaveProperty("ref");
    client.send({ type: "ping", ref: "1" });
    expect(await client.until("pong")).toMatchObject({ ref: "1" });
  },
);
