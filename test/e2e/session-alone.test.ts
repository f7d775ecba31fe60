import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "../../src/log/logger.ts";
import { serveSession } from "../../src/session/serve/serve-session.ts";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { leaveMark, timesRun } from "../support/requests.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import { SkippingTimers } from "../support/skipping-timers.ts";

const HOUR_MS = 3_600_000;

const script = {
  rules: [
    { when: { user: "make the mark" }, tools: [leaveMark("one")] },
    { when: { tool_result: { is_error: true } }, text: "Then not." },
    { when: { tool_result: "Bash" }, text: "It is done." },
    { text: "I am here." },
  ],
};

/** A session on a socket, whose only client asks for a tool and leaves when it is asked about it. */
async function leftAlone(approvalTimeoutMs: number) {
  const stage = await setStage(script);
  const timers = new SkippingTimers();
  const talk = await Conversation.start(stage, { timers, approvalTimeoutMs });
  const ends: string[] = [];
  const server = await serveSession(talk.session, {
    about: { version: "0", rehearsal: true },
    onEnd: (reason) => ends.push(reason),
    logger: createLogger({ name: "test", level: "silent" }),
  });
  onTestFinished(() => server.close());
  const client = new SessionLineClient(server.path);
  client.send({ type: "message", id: "m1", text: "make the mark" });
  const { request_id, seq = 0 } = await client.until("approval_request");
  client.socket.destroy();
  await client.ended;
  timers.skip(HOUR_MS);
  const comesBack = async (): Promise<SessionLineClient> => {
    const later = new SessionLineClient(server.path);
    await later.until("init");
    later.send({ type: "attach", since: seq });
    return later;
  };
  return { stage, ends, request_id, seq, comesBack };
}

const endOf = (client: SessionLineClient, id: string) =>
  client.until("done", { fits: ({ messages }) => (messages as string[]).includes(id) });

test("[SES-51] a session without clients for an hour denies open requests, ends its turn and lives on", async () => {
  const { stage, ends, request_id, seq, comesBack } = await leftAlone(300_000);
  const client = await comesBack();
  expect(await endOf(client, "m1")).toMatchObject({ stop_reason: "completed" });
  const resolved = client.events.filter(({ type }) => type === "approval_resolved");
  expect(resolved).toMatchObject([{ request_id, outcome: "timed_out" }]);
  const said = client.events.filter(({ type }) => type === "text_delta").map(({ text }) => text);
  expect(said.join("")).toBe("Then not.");
  expect(client.seqs).toEqual(client.seqs.map((_, index) => seq + 1 + index));
  client.send({ type: "message", id: "m2", text: "hello" });
  expect(await endOf(client, "m2")).toMatchObject({ stop_reason: "completed" });
  expect([timesRun(stage, "one"), ends]).toEqual([0, []]);
});

test("[SES-51] without a time-out the question waits through the hour, and the next client answers it", async () => {
  const { stage, request_id, comesBack } = await leftAlone(0);
  const client = await comesBack();
  expect(client.told[0]).toMatchObject({ state: "waiting", pending: [{ request_id }] });
  expect(timesRun(stage, "one")).toBe(0);
  client.send({ type: "approve", request_id });
  expect(await endOf(client, "m1")).toMatchObject({ stop_reason: "completed" });
  expect(timesRun(stage, "one")).toBe(1);
});
