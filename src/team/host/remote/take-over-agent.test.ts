import { createHash } from "node:crypto";
import { duplexPair } from "node:stream";
import { expect, test } from "vitest";
import { errorOf } from "../../../wire/errors.ts";
import type { HostRequest } from "../../../wire/host.ts";
import { CERTAINLY_STOPPED_MS } from "../lease-times.ts";
import type { RequestHandlers } from "../serve/answer-requests.ts";
import { answerRequest } from "../serve/answer-requests.ts";
import type { JoinedHost } from "./hosts.ts";
import type { TakeOver } from "./take-over-agent.ts";
import { takeOver } from "./take-over-agent.ts";

const content = Buffer.from("words ".repeat(200_000));
const file = {
  name: "log/l/log.json",
  bytes: content.length,
  sha256: createHash("sha256").update(content).digest("hex"),
};

/** A host that answers these requests, and has written down which came. */
function hostNamed(name: string, handlers: Partial<RequestHandlers>) {
  const asked: HostRequest[] = [];
  const all = new Proxy(handlers, {
    get:
      (own, type: keyof RequestHandlers) => async (request: HostRequest, signal: AbortSignal) => {
        asked.push(request);
        const handle = own[type] as (request: HostRequest, signal: AbortSignal) => Promise<object>;
        return handle(request, signal);
      },
  }) as RequestHandlers;
  const open = async () => {
    const [here, there] = duplexPair();
    void answerRequest(there, all);
    return here;
  };
  return { host: { name, tunnel: { open } } as unknown as JoinedHost, asked };
}

const giving: Partial<RequestHandlers> = {
  stop: async () => ({ outcome: "killed" }),
  list_files: async () => ({ files: [file] }),
  read_file: async ({ offset, limit }) => ({
    data: content.subarray(offset, offset + limit).toString("base64"),
  }),
};
const taking: Partial<RequestHandlers> = {
  write_file: async () => ({}),
  install_files: async () => ({}),
};

const failing = (code: "internal" | "connection_lost" | "disk_full", message: string) => () =>
  Promise.reject(errorOf(code, message));

function stage(
  from: Partial<RequestHandlers> | undefined,
  to: Partial<RequestHandlers>,
  more: Partial<TakeOver> & { silentMs?: number } = {},
) {
  const former = from && hostNamed("h1", from);
  const next = hostNamed("h2", to);
  const waits: string[] = [];
  const outcome = takeOver({
    spec: { id: "coder", isolation: "config" },
    hosts: {
      reachable: () => former?.host,
      silentMs: () => more.silentMs ?? 6000,
      tell: () => {},
    },
    assignments: { epoch: 3 },
    current: "h1",
    to: next.host,
    mark: {},
    term: 5,
    force: false,
    conversation: "s1",
    onWait: (why) => void waits.push(why),
    signal: new AbortController().signal,
    ...more,
  });
  return { outcome, waits, former, next };
}

test("takeOver stops the agent first, then brings its files in parts under the new term", async () => {
  const { outcome, waits, former, next } = stage(giving, taking);
  expect(await outcome).toEqual({ free: { brought: "s1" } });
  expect(former?.asked.map(({ type }) => type)).toEqual([
    "stop",
    "list_files",
    "read_file",
    "read_file",
    "read_file",
  ]);
  expect(next.asked).toHaveLength(4);
  for (const each of next.asked) expect(each).toMatchObject({ epoch: 3, term: 5 });
  const arrived = next.asked.flatMap((each) =>
    each.type === "write_file" ? [Buffer.from(each.data, "base64")] : [],
  );
  expect(Buffer.concat(arrived).equals(content)).toBe(true);
  expect(waits.at(-1)).toBe("its conversation is copied from h1 to h2: 100 %");
});

test("takeOver waits for a host that cannot be reached until its lease is certainly over", async () => {
  const waiting = await stage(undefined, taking).outcome;
  expect(waiting).toEqual({ wait: expect.stringMatching(/h1, which cannot be reached.* 130 s/) });
  const over = await stage(undefined, taking, { silentMs: CERTAINLY_STOPPED_MS }).outcome;
  expect(over).toEqual({ free: { lost: expect.stringContaining("cannot be reached") } });
});

test("takeOver with force waits for no host that cannot be reached, but for one that does not confirm", async () => {
  const forced = await stage(undefined, taking, { force: true }).outcome;
  expect(forced).toEqual({ free: { lost: expect.stringContaining("cannot be reached") } });
  const stop = failing("internal", "It does not end.");
  const stubborn = await stage({ ...giving, stop }, taking, { force: true }).outcome;
  expect(stubborn).toEqual({ wait: "waits until the host h1 has stopped it" });
});

test("takeOver gives the conversation up when its host does not have it, and waits when that may pass", async () => {
  const none = await stage({ ...giving, list_files: async () => ({ files: [] }) }, taking).outcome;
  expect(none).toEqual({ free: { lost: expect.stringContaining("h1 does not have it") } });
  const lost = failing("connection_lost", "The network is away.");
  const later = await stage({ ...giving, read_file: lost }, taking).outcome;
  expect(later).toEqual({ wait: expect.stringContaining("The network is away.") });
});

test("takeOver never gives the conversation up because the other host cannot take it", async () => {
  const full = failing("disk_full", "No room.");
  const { outcome } = stage(giving, { ...taking, install_files: full });
  expect(await outcome).toEqual({
    wait: "waits: the host h2 cannot take its conversation: No room.",
  });
});
