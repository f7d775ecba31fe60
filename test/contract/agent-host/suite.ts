import { once } from "node:events";
import type { Duplex } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import type { StreamToolHost } from "../../../src/bridge/index.ts";
import type { EventDraft } from "../../../src/session/log/event-draft.ts";
import type { AgentSpec } from "../../../src/team/file/team.ts";
import type {
  AgentHost,
  AgentLeftovers,
  AgentRun,
  HostedAgent,
} from "../../../src/team/host/agent-host.ts";

/** One place where agents run. Its agents obey the lines of `test/support/echo-agent.ts`. */
export interface HostStage {
  readonly spec: AgentSpec;
  /** The same agent, which ends as soon as it is started. */
  readonly broken: AgentSpec;
  /** As the next process of the team makes it: it knows nothing of what the last one has started. */
  newHost(): Promise<AgentHost>;
  /** The same team with another policy. */
  withOtherPolicy(): Promise<AgentHost>;
  /** For a team that has no process. */
  readonly left: AgentLeftovers;
  /** What lies there that only a live run should have: the addresses of its sessions. */
  leftovers(): string[];
  /** Writes a new log where the session of the agent would. Returns its id. */
  writeLog(agent: string, drafts: readonly EventDraft[]): Promise<string>;
}

const MEGABYTES = 64 * 1024 * 1024;
const ENOUGH_MS = 30_000;
const soon = (): AbortSignal => AbortSignal.timeout(ENOUGH_MS);

/** Tools that repeat what the bridge says. */
const echoTools: StreamToolHost = {
  name: "team",
  schemas: [],
  serve: (bridge) => void bridge.on("data", (chunk) => bridge.write(`tools: ${String(chunk)}`)),
  stop: async () => {},
};

async function ask(session: Duplex, line: string): Promise<string> {
  session.write(`${line}\n`);
  const [chunk] = (await once(session, "data")) as [Buffer];
  return chunk.toString().trim();
}

const seen = (id: string): EventDraft => ({ type: "message_seen", id });

const talk = async (run: AgentRun): Promise<Duplex> => {
  const session = await run.openSession(soon());
  onTestFinished(() => void session.destroy());
  return session;
};

async function prepare(
  host: AgentHost,
  spec: AgentSpec,
  mark: AgentRun["mark"] = {},
): Promise<HostedAgent> {
  const agent = host.agent(spec, mark);
  onTestFinished(async () => {
    await agent.stop(0);
    await host.close({ clear: true });
  });
  await agent.offerTools(echoTools);
  return agent;
}

/** What every place where agents run does. */
export function describeAgentHost(name: string, makeStage: () => HostStage): void {
  describe(`AgentHost: ${name}`, () => {
    test("starts an agent and carries bytes to its session and back, on several streams", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      const [one, two] = [await talk(run), await talk(run)];
      expect(await ask(one, "echo äöü one")).toBe("äöü one");
      expect(await ask(two, "echo two")).toBe("two");
      expect(await ask(one, "resume")).toBe("undefined");
    });

    test("openLog reads what the agent's session wrote last, also without a process of the team", async () => {
      const stage = makeStage();
      const host = await stage.newHost();
      const { id } = stage.spec;
      expect(await host.openLog(id)).toBeUndefined();
      await stage.writeLog(id, [seen("old")]);
      const text = "x".repeat(300_000);
      const logId = await stage.writeLog(id, [
        seen("m1"),
        { type: "user_message", id: "m2", text, quiet: false },
        seen("m3"),
      ]);
      for (const logs of [host, stage.left]) {
        const log = await logs.openLog(id);
        expect(log?.logId).toBe(logId);
        const page = await log!.history(undefined, 2);
        expect(page).toMatchObject({ events: [{ seq: 2 }, { seq: 3, id: "m3" }], more: true });
        expect(await log!.history(2, 10)).toMatchObject({ events: [{ seq: 1 }], more: false });
        const [message] = page.events as { text?: { blob: string } }[];
        const part = await log!.readBlob(message?.text?.blob ?? "", 299_998, 10);
        expect(Buffer.from(part.data).toString()).toBe("xx");
        await expect(log!.readBlob("0".repeat(64), 0, 1)).rejects.toMatchObject({
          code: "blob_not_found",
        });
        expect(await logs.openLog("nobody")).toBeUndefined();
      }
      await host.close({ clear: true });
    });

    test("start passes the session to resume to the new run", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start("session-7", soon());
      expect(await ask(await talk(run), "resume")).toBe("session-7");
    });

    test("carries bytes from the agent's bridge to the tools and back", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      expect(await ask(await talk(run), "bridge hello")).toBe("tools: hello");
    });

    test("an agent whose output is not read is slowed down, and loses nothing", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      const [slow, other] = [await talk(run), await talk(run)];
      slow.write(`flood ${MEGABYTES}\n`);
      let before = "";
      await expect
        .poll(async () => {
          const now = await ask(other, "written");
          const isStill = now === before && now !== "0";
          before = now;
          return isStill;
        })
        .toBe(true);
      expect(Number(before)).toBeLessThan(MEGABYTES / 2);
      let bytes = 0;
      slow.on("data", (chunk: Buffer) => (bytes += chunk.length));
      await expect.poll(() => bytes).toBe(MEGABYTES);
    });

    test("stop ends a run that ends when it is asked to", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      await talk(run);
      expect(await agent.stop(0)).toBe("ended");
      expect(await run.gone).toMatchObject({ killed: false });
      expect(stage.leftovers()).toEqual([]);
      expect(await agent.stop(0)).toBe("not_seen");
    });

    test("stop waits for a run that ends by itself in time", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      const session = await talk(run);
      await ask(session, "stubborn");
      const stopped = agent.stop(ENOUGH_MS);
      session.write("end\n");
      expect(await stopped).toBe("ended");
    });

    test("stop kills a run that does not end, and clears away what that one could not", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      await ask(await talk(run), "stubborn");
      expect(await agent.stop(0)).toBe("killed");
      expect(await run.gone).toMatchObject({ killed: true });
      expect(stage.leftovers()).toEqual([]);
    });

    test("gone tells of a run that was killed, and the next start follows it", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      const session = await talk(run);
      const pid = await ask(session, "pid");
      session.write("die\n");
      expect(await run.gone).toMatchObject({ killed: true });
      const next = await agent.start(undefined, soon());
      expect(await ask(await talk(next), "pid")).not.toBe(pid);
    });

    test("gone has the last words of a run that ends before its session is there", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.broken);
      const run = await agent.start(undefined, soon());
      const { why } = await run.gone;
      expect(why).toMatchObject({ code: "start_failed" });
      expect(why.message).toContain("these are my last words");
    });

    test("the next process of the team finds a run again by its mark, and can end it", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      const pid = await ask(await talk(run), "pid");
      const later = await stage.newHost();
      onTestFinished(() => later.close({ clear: true }));
      const found = later.agent(stage.spec, run.mark);
      const again = await found.start(undefined, soon());
      expect(await ask(await talk(again), "pid")).toBe(pid);
      expect(again.mark).toEqual(run.mark);
      expect(await found.stop(0)).toBe("ended");
      await Promise.all([again.gone, run.gone]);
      expect(stage.leftovers()).toEqual([]);
    });

    test("a run under another policy is ended, and another one started", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      const pid = await ask(await talk(run), "pid");
      const host = await stage.withOtherPolicy();
      onTestFinished(() => host.close({ clear: true }));
      const strict = host.agent(stage.spec, run.mark);
      onTestFinished(async () => void (await strict.stop(0)));
      const next = await strict.start(undefined, soon());
      expect(await ask(await talk(next), "pid")).not.toBe(pid);
      await run.gone;
    });

    test("a start that was given up starts nothing", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const reason = new Error("too late");
      await expect(agent.start(undefined, AbortSignal.abort(reason))).rejects.toBe(reason);
      expect(await agent.stop(0)).toBe("not_seen");
    });

    test("a stream that is waited for can be given up while the session is not there", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.broken);
      const run = await agent.start(undefined, soon());
      await run.gone;
      const giveUp = new AbortController();
      const opening = run.openSession(giveUp.signal);
      giveUp.abort(new Error("too late"));
      await expect(opening).rejects.toThrow("too late");
    });

    test("endRuns ends a run that an earlier process left, names it once, and removes its addresses", async () => {
      const stage = makeStage();
      const agent = await prepare(await stage.newHost(), stage.spec);
      const run = await agent.start(undefined, soon());
      await ask(await talk(run), "stubborn");
      const { id } = stage.spec;
      const marks = new Map([
        [id, run.mark],
        [stage.broken.id, {}],
      ]);
      expect(await stage.left.endRuns(marks)).toEqual([id]);
      await run.gone;
      expect(stage.leftovers()).toEqual([]);
      expect(await stage.left.endRuns(marks)).toEqual([]);
    });

    test("an agent that has left the team is dismissed by its mark", async () => {
      const stage = makeStage();
      const host = await stage.newHost();
      const agent = await prepare(host, stage.spec);
      const run = await agent.start(undefined, soon());
      await talk(run);
      host.dismiss(stage.spec.id, run.mark);
      expect(await run.gone).toMatchObject({ killed: false });
    });
  });
}
