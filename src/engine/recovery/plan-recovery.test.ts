import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineMessage } from "../to-sdk-message.ts";
import type { OpenCall } from "./open-call.ts";
import type { RecoveryPlan, Unfinished } from "./plan-recovery.ts";
import { planRecovery } from "./plan-recovery.ts";
import type { RecordedCall, Transcript } from "./transcript.ts";
import { emptyTranscript } from "./transcript.ts";

const PROVEN = "2.1.326";
const HASTY = "2.1.260";
const RERUN = { CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1" };

const message = (id: string, fields: Partial<EngineMessage> = {}): EngineMessage => ({
  id,
  content: `text of ${id}`,
  ...fields,
});

const called = (request_id: string, decision?: OpenCall["decision"]): OpenCall => ({
  request_id,
  tool: "Bash",
  input: { command: `run ${request_id}` },
  ...(decision && { decision }),
});

const recorded = (request_id: string, answerId = `answer of ${request_id}`): RecordedCall => ({
  request_id,
  tool: "Bash",
  input: { command: `run ${request_id}` },
  answerId,
  row: { type: "assistant", uuid: `row of ${request_id}` },
});

interface OnDisk extends Partial<Omit<Transcript, "messages" | "results">> {
  messages?: string[];
  results?: string[];
}

const onDisk = ({ messages = [], results = [], ...fields }: OnDisk = {}): Transcript => ({
  ...emptyTranscript("/nowhere"),
  ...fields,
  messages: new Set(messages),
  results: new Set(results),
});

const unfinished = (fields: Partial<Unfinished> = {}): Unfinished => ({
  messages: [],
  openTurn: false,
  calls: [],
  ...fields,
});

const plan = (log: Partial<Unfinished>, transcript?: Transcript, version = PROVEN) =>
  planRecovery(unfinished(log), transcript, version);

/** The words that the model is given, in whatever way. */
function wordsOf({ env, push }: RecoveryPlan, log: Unfinished): string {
  const hints = push.filter((pushed) => !log.messages.includes(pushed));
  return JSON.stringify([env["CLAUDE_CODE_RESUME_PROMPT"], hints]);
}

describe("messages", () => {
  it("are pushed, in order, if the CLI never wrote them down, and never otherwise", () => {
    const messages = ["M1", "M2", "M3"].map((id) => message(id));
    expect(plan({ messages }, onDisk({ messages: ["M2"] }))).toMatchObject({
      resume: true,
      push: [messages[0], messages[2]],
      seen: ["M2"],
      rerun: true,
      env: RERUN,
    });
  });

  it("are all pushed into a new session when there is no transcript", () => {
    expect(plan({ messages: [message("M1")], openTurn: true })).toMatchObject({
      resume: false,
      push: [{ id: "M1" }],
      seen: [],
      rerun: false,
      env: {},
    });
  });

  it.each<[string, Partial<Unfinished>, OnDisk, boolean]>([
    ["a turn that had started", { openTurn: true }, {}, true],
    [
      "a message that no turn has begun with",
      { messages: [message("M1")] },
      { messages: ["M1"] },
      true,
    ],
    [
      "a turn whose answer is whole",
      { openTurn: true, messages: [message("M1")] },
      { messages: ["M1"], answered: true },
      false,
    ],
    [
      "a quiet message",
      { messages: [message("M1", { quiet: true })] },
      { messages: ["M1"] },
      false,
    ],
    [
      "a quiet message in a turn that had started",
      { openTurn: true, messages: [message("M1", { quiet: true })] },
      { messages: ["M1"] },
      true,
    ],
    ["a message that was not written down", { messages: [message("M1")] }, {}, false],
    ["nothing", {}, {}, false],
  ])("%s in the file: is the turn resumed?", (_name, log, disk, rerun) => {
    const made = plan(log, onDisk(disk));
    expect(made.rerun).toBe(rerun);
    expect(made.env).toEqual(rerun ? RERUN : {});
  });

  it("a turn that ends in a text of no person gets a message of ours, because the CLI would not resume it", () => {
    const log = { messages: [message("M1", { relayed: true }), message("M2")] };
    const made = plan(log, onDisk({ messages: ["M1"], endsHidden: true }));
    expect(made).toMatchObject({ rerun: true, env: {}, seen: ["M1"] });
    expect(made.push).toEqual([
      { id: expect.any(String), content: "Continue from where you left off.", relayed: true },
      message("M2"),
    ]);
  });
});

describe("a call that was not decided", () => {
  const log = { openTurn: true, calls: [called("c1", "none")] };

  it("is parked when it is alone and on disk", () => {
    const call = recorded("c1");
    expect(plan(log, onDisk({ calls: [recorded("c0"), call], results: ["c0"] }))).toMatchObject({
      rerun: true,
      park: call,
      env: {},
    });
  });

  it.each<[string, Partial<Unfinished>, OnDisk, string?]>([
    ["is not on disk", {}, {}],
    ["has a result on disk", {}, { calls: [recorded("c1")], results: ["c1"] }],
    [
      "was made together with another, even one that has its result",
      {},
      { calls: [recorded("c1", "A"), recorded("c2", "A")], results: ["c2"] },
    ],
    [
      "is not the only one",
      { calls: [...log.calls, called("c2", "none")] },
      { calls: [recorded("c1"), recorded("c2")] },
    ],
    [
      "is open beside one of a sub-agent that may have run",
      { calls: [...log.calls, called("s1")] },
      { calls: [recorded("c1")] },
    ],
    ["belongs to a CLI that was not tried", {}, { calls: [recorded("c1")] }, "9.9.9"],
  ])("is superseded when it %s", (_name, more, disk, version = PROVEN) => {
    const made = plan({ ...log, ...more }, onDisk(disk), version);
    expect(made.park).toBeUndefined();
    expect(made.rerun).toBe(true);
    expect(made.unproven).toBe(version !== PROVEN);
  });

  it("is not mentioned to the model", () => {
    expect(plan(log, onDisk()).env).toEqual(RERUN);
  });
});

describe.each([HASTY, ""])(
  "a cut turn on CLI '%s', which does not wait for its prompt",
  (version) => {
    it("continues with a message of ours, after the prompt", () => {
      const made = plan({ openTurn: true }, onDisk(), version);
      expect(made).toMatchObject({ rerun: true, env: {}, unproven: true, park: undefined });
      expect(made.push).toMatchObject([{ content: "Continue from where you left off." }]);
    });

    it("continues with a message about each open call, also one that did not run", () => {
      const calls = [called("c1", "none")];
      const log = unfinished({ openTurn: true, calls });
      const made = planRecovery(log, onDisk({ calls: [recorded("c1")] }), version);
      expect(wordsOf(made, log)).toContain("[c1]: did not run");
    });
  },
);

describe("a call that may have run", () => {
  it("is reported to the model with its outcome", () => {
    const calls = [
      called("c1", "allowed"),
      called("c2", "none"),
      called("c3", "denied"),
      called("c4"),
    ];
    const { env } = plan(
      { openTurn: true, calls },
      onDisk({ calls: ["c1", "c2", "c3", "c5"].map((id) => recorded(id, "A")) }),
    );
    expect(env).toEqual({
      ...RERUN,
      CLAUDE_CODE_RESUME_SHOWS_CUT_OFF_CALLS: "1",
      CLAUDE_CODE_RESUME_PROMPT: [
        "The session was interrupted and goes on now. Tool calls whose results you have not seen:",
        '- Bash {"command":"run c1"} [c1]: was started, its outcome is unknown',
        '- Bash {"command":"run c2"} [c2]: did not run',
        '- Bash {"command":"run c3"} [c3]: did not run',
        '- Bash {"command":"run c4"} [c4]: may have run, its outcome is unknown',
        '- Bash {"command":"run c5"} [c5]: may have run, its outcome is unknown',
        "Check the effect of what was started before you repeat it. Continue from where you left off.",
      ].join("\n"),
    });
  });

  it("is not reported when the file has its result, though our log does not", () => {
    const log = { openTurn: true, calls: [called("c1", "allowed")] };
    expect(plan(log, onDisk({ calls: [recorded("c1")], results: ["c1"] })).env).toEqual(RERUN);
  });

  it("is reported with its result when only our log has it", () => {
    const calls = [{ ...called("c1", "allowed"), result: "three files" }];
    expect(plan({ openTurn: true, calls }, onDisk()).env["CLAUDE_CODE_RESUME_PROMPT"]).toContain(
      '- Bash {"command":"run c1"} [c1]: ran to its end; its result was "three files"',
    );
  });

  it("is not reported twice, and then does not prevent parking", () => {
    const told = new Set(["c1"]);
    const log = { openTurn: true, calls: [called("c1", "allowed")] };
    expect(plan(log, onDisk({ told })).env).toEqual(RERUN);
    const asked = { ...log, calls: [...log.calls, called("c2", "none")] };
    const call = recorded("c2");
    expect(plan(asked, onDisk({ told, calls: [call] }))).toMatchObject({ park: call });
  });

  it("is reported in a message where the CLI does not continue by itself", () => {
    const log = unfinished({ openTurn: true, calls: [called("c1", "allowed")] });
    const hidden = planRecovery(log, onDisk({ endsHidden: true }), PROVEN);
    const lost = planRecovery(log, undefined, PROVEN);
    // The call never reached the file: the CLI would take up the message before it as if it were new.
    const asking = planRecovery(log, onDisk({ endsAsking: true }), PROVEN);
    for (const made of [hidden, lost, asking]) {
      expect(made.env).toEqual({});
      expect(made.push).toMatchObject([{ relayed: true }]);
      expect(wordsOf(made, log)).toContain("run c1");
    }
  });

  it("is reported with enough of its input to recognise it", () => {
    const call = { ...called("c1", "allowed"), input: { text: "x".repeat(10_000) } };
    const words = plan({ openTurn: true, calls: [call] }, onDisk()).env[
      "CLAUDE_CODE_RESUME_PROMPT"
    ];
    expect(words).toContain(`{"text":"${"x".repeat(391)}…`);
  });
});

const someMessages = fc.subarray(["M1", "M2", "M3", "M4"]);
/** Few, so that log and file often speak of the same ones. */
const someCalls = fc.subarray(["c1", "c2"]);

const anyLog: fc.Arbitrary<Unfinished> = fc.record({
  openTurn: fc.boolean(),
  messages: someMessages.chain((chosen) =>
    fc.tuple(...chosen.map((id) => fc.boolean().map((quiet) => message(id, { quiet })))),
  ),
  calls: someCalls.chain((chosen) =>
    fc.tuple(
      ...chosen.map((id) =>
        fc
          .constantFrom(undefined, "none" as const, "allowed" as const, "denied" as const)
          .map((decision) => called(id, decision)),
      ),
    ),
  ),
});

const anyDisk: fc.Arbitrary<Transcript> = fc
  .record({
    messages: someMessages,
    results: someCalls,
    answered: fc.boolean(),
    endsHidden: fc.boolean(),
    endsAsking: fc.boolean(),
    calls: someCalls.chain((chosen) =>
      fc.tuple(
        ...chosen.map((id) => fc.constantFrom("A", "B").map((answer) => recorded(id, answer))),
      ),
    ),
  })
  .map((fields) => onDisk(fields));

const anyVersion = fc.constantFrom(PROVEN, "9.9.9", HASTY, "");

function always(
  check: (made: RecoveryPlan, log: Unfinished, disk: Transcript | undefined) => void,
) {
  fc.assert(
    fc.property(anyLog, fc.option(anyDisk, { nil: undefined }), anyVersion, (log, disk, version) =>
      check(planRecovery(log, disk, version), log, disk),
    ),
    { numRuns: 4_000 },
  );
}

const mayHaveRun = ({ decision }: OpenCall) => decision === undefined || decision === "allowed";

describe("whatever log and file say", () => {
  it("each message is either pushed or seen, never both or neither", () => {
    always(({ push, seen }, { messages }) => {
      for (const { id } of messages) {
        const times =
          push.filter((pushed) => pushed.id === id).length + seen.filter((at) => at === id).length;
        expect(times).toBe(1);
      }
    });
  });

  it("nothing in the file is pushed, and the order stays", () => {
    always(({ push }, { messages }, disk) => {
      expect(push.filter(({ id }) => disk?.messages.has(id))).toEqual([]);
      const own = push.filter((pushed) => messages.includes(pushed));
      expect(own).toEqual(messages.filter((at) => own.includes(at)));
      expect(push.length - own.length).toBeLessThanOrEqual(1);
    });
  });

  it("only an undecided call is parked that is on disk, alone in its answer, and the only open one", () => {
    always(({ park, unproven, env, rerun }, { calls }, disk) => {
      const parked = park ? [park] : [];
      const isOpen = ({ request_id }: { request_id: string }) => !disk?.results.has(request_id);
      const isWrong = (call: RecordedCall) =>
        unproven ||
        !rerun ||
        Object.keys(env).length > 0 ||
        disk?.calls.filter(({ answerId }) => answerId === call.answerId).length !== 1 ||
        !isDeepStrictEqual(disk.calls.filter(isOpen), [call]) ||
        !isDeepStrictEqual(calls.filter(isOpen), [called(call.request_id, "none")]);
      expect(parked.filter(isWrong)).toEqual([]);
    });
  });

  it("a call that may have run is named when the turn continues, and none that has its result", () => {
    always((made, log, disk) => {
      fc.pre(!made.park && (disk ? made.rerun : log.openTurn));
      const words = wordsOf(made, log);
      const isNamed = ({ request_id }: OpenCall) => words.includes(`run ${request_id}`);
      const known = new Set(log.calls.map(({ request_id }) => request_id));
      const onlyOnDisk = disk?.calls.filter(({ request_id }) => !known.has(request_id)) ?? [];
      const all: OpenCall[] = [...log.calls, ...onlyOnDisk];
      const hasResult = ({ request_id }: OpenCall) => disk?.results.has(request_id) === true;
      const mustBeNamed = all.filter((call) => mayHaveRun(call) && !hasResult(call));
      expect(mustBeNamed.filter((call) => !isNamed(call))).toEqual([]);
      expect(all.filter((call) => hasResult(call) && isNamed(call))).toEqual([]);
    });
  });

  it("a quiet message never causes a turn", () => {
    always(({ rerun, env }, { messages, openTurn }, disk) => {
      const loud = messages.filter(({ id, quiet }) => quiet !== true && disk?.messages.has(id));
      fc.pre(!openTurn && loud.length === 0);
      expect({ rerun, env }).toEqual({ rerun: false, env: {} });
    });
  });

  it("the CLI resumes a turn only if there is one", () => {
    always(({ rerun, env, park, resume, push }, { messages }, disk) => {
      const asked = env["CLAUDE_CODE_RESUME_INTERRUPTED_TURN"] === "1";
      const told = push.some((pushed) => !messages.includes(pushed));
      expect(asked).toBe(rerun && !park && !told);
      expect(asked && disk?.endsHidden).not.toBe(true);
      expect(resume).toBe(disk !== undefined);
      expect(rerun && disk?.answered !== false).toBe(false);
    });
  });
});
