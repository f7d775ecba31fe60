import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LogIndex } from "../../src/session/files/log-index.ts";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import { AttachedTerminal } from "../support/attached-terminal.ts";
import { FakeTeam } from "../support/fake-team.ts";
import { TeamStage } from "../support/team-stage.ts";

// It starts many processes, which a busy machine is slow at.
const SLOW_MS = 300_000;

const yaml = `
lead: boss
timeouts: { idle: 60 }
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p, may_message: [boss] }
`;

/** The commands, against a team whose models the test plays. */
function commandsFor({ stateDir }: FakeTeam) {
  const stage = new TeamStage("", "");
  const cli = async (...args: string[]) => {
    const { out, err, code } = await stage.run(...args, "--state-dir", stateDir);
    return { out: out.trim(), err: err.trim(), code };
  };
  /** A message to the lead, and what the command has said so far. */
  const send = (text: string) => {
    const child = stage.spawn(["send", text, "--state-dir", stateDir]);
    const said = { out: "", err: "" };
    child.stdout?.on("data", (chunk) => (said.out += String(chunk)));
    child.stderr?.on("data", (chunk) => (said.err += String(chunk)));
    return { said, ended: once(child, "close") };
  };
  return { cli, send };
}

test(
  "`send` shows that an agent waits for a person, and `answer` answers what the lead asks",
  { timeout: SLOW_MS },
  async () => {
    const team = await FakeTeam.up(yaml, {
      boss: async (said, self) => {
        if (said === "may coder?") return (await self.send("coder", "do it", { wait: true })).text;
        return JSON.stringify(
          await self.askUser(
            { question: "Which colour?", labels: ["Red", "Blue"] },
            { question: "How many?", labels: [] },
          ),
        );
      },
      coder: (_said, self) => self.askLeave("Bash", { command: "echo hi > hi.txt" }),
    });
    const { cli, send } = commandsFor(team);

    const first = send("ask me");
    const { request } = await team.until("approval_requested");
    const id = request.request_id;
    const asked = "asks: Which colour? (1 Red, 2 Blue) How many?";
    const listed = await cli("approvals");
    expect(listed.out).toMatch(/^ID +AGENT +UNTIL +WHAT\n/);
    expect(listed.out).toContain(asked);
    expect(listed.out).toContain(`Decide with: switchboard answer ${id} 1 1`);
    expect(await cli("answer", id, "2")).toMatchObject({
      code: 64,
      err: expect.stringContaining("2 answers are wanted: Which colour? How many?"),
    });
    expect(await cli("answer", "toolu_other", "2")).toMatchObject({
      code: 65,
      err: expect.stringContaining("'switchboard approvals' lists what is pending."),
    });
    // The waiting `send` shows it before it is decided.
    const telling = `boss waits for you: ${asked}\n  switchboard answer ${id} 1 1\n`;
    await expect.poll(() => first.said.err, { timeout: 20_000 }).toBe(telling);
    expect(await cli("answer", id, "2", "three of them")).toMatchObject({
      code: 0,
      out: "Answered.",
    });
    expect(await first.ended).toEqual([0, null]);
    expect(first.said.out).toBe('{"Which colour?":"Blue","How many?":"three of them"}\n');

    // Leave that another agent asks for is told too, and is no question.
    const since = team.told.length;
    const second = send("may coder?");
    const leave = await team.until("approval_requested", { since });
    const leaveId = leave.request.request_id;
    expect(await cli("answer", leaveId, "yes")).toMatchObject({
      code: 64,
      err: expect.stringContaining(`switchboard approve ${leaveId}`),
    });
    const asking = "coder waits for you: Bash echo hi > hi.txt";
    await expect.poll(() => second.said.err, { timeout: 20_000 }).toContain(asking);
    expect((await cli("deny", leaveId, "--json")).out).toBe('{"agent":"coder"}');
    expect(await second.ended).toEqual([0, null]);
  },
);

test(
  "`send` shows an answer of a later turn too, and an error when the team is stopped before it",
  { timeout: SLOW_MS },
  async () => {
    const team = await FakeTeam.up(yaml, {
      boss: async (said, self) => {
        if (said === "go") await self.send("coder", "do it");
        if (said === "think") return new Promise<never>(() => {});
        return said === "go" ? "Asked." : "Done with it.";
      },
    });
    const { send } = commandsFor(team);
    const { said, ended } = send("go");
    expect(await ended).toEqual([0, null]);
    expect(said.out).toMatch(/^\[.*send_message\] .*\nAsked\.\nDone with it\.\n$/);

    const since = team.told.length;
    const waiting = send("think");
    await team.until("turn_started", { since });
    await team.stop();
    expect(await waiting.ended).toEqual([69, null]);
    expect(waiting.said.err).toContain("The team was stopped before it answered.");
  },
);

test(
  "attach refuses a sleeping agent without a log and says how to wake it, and tells wrong names apart",
  { timeout: SLOW_MS },
  async () => {
    const team = await FakeTeam.up(yaml.replace("idle: 60", "idle: 0.2"), {});
    const { cli } = commandsFor(team);
    await team.until("agent_state", {
      fits: ({ agent, state }) => agent === "coder" && state === "hibernated",
    });
    expect(await cli("attach", "coder")).toMatchObject({
      code: 69,
      err: expect.stringMatching(/coder is hibernated[^]*switchboard restart coder/),
    });
    expect(await cli("restart", "nobody", "--json")).toMatchObject({
      code: 68,
      err: expect.stringMatching(/"code":"agent_not_found".*'switchboard status' lists/),
    });
    expect(await cli("restart", "no body")).toMatchObject({
      code: 68,
      err: expect.stringContaining("There is no agent no body in this team."),
    });
    expect(await cli("cancel", "nope")).toMatchObject({
      code: 65,
      err: expect.stringMatching(/There is no open task nope\.[^]*'switchboard tasks' lists/),
    });
    for (const action of ["inspect", "resend", "discard"]) {
      expect(await cli("dlq", action, "nope")).toMatchObject({
        code: 65,
        err: expect.stringMatching(/There is no dead letter nope\.[^]*'switchboard dlq' lists/),
      });
    }
    expect(await cli("approve", "")).toMatchObject({
      code: 65,
      err: expect.stringContaining('No agent waits for a decision on "".'),
    });
    expect(await cli("send", "  ")).toMatchObject({
      code: 64,
      err: expect.stringMatching(/The text is empty\.[^]*Say something\./),
    });
    expect(await cli("log", "--from", "nobody")).toMatchObject({
      code: 68,
      err: expect.stringMatching(/There is no agent nobody[^]*Its agents are: boss, coder\./),
    });
    expect((await cli("log", "--from", "user", "--to", "coder")).out).toBe("No message matches.");
    expect((await cli("log", "--type", "song")).code).toBe(64);
    expect((await cli("log", "--type", "progress")).out).toBe("No message matches.");
  },
);

/** Gives an agent a log, as its session would have written it. */
function writeLog({ stateDir }: FakeTeam, agent: string, said: string): void {
  const index = new LogIndex(pathsOfAgent(stateDir, agent).state);
  const directory = index.create();
  const events = [
    { seq: 1, at: "2026-01-01T00:00:00.000Z", type: "user_message", id: "m", text: "hello" },
    { seq: 2, type: "text_delta", turn_id: "t", block: 0, text: said },
  ];
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(join(directory, "events.jsonl"), lines.join(""));
  index.assign("session", directory);
}

test(
  "attach shows the log of a hibernated lead; a line from a terminal starts it, one from a pipe does not",
  { timeout: SLOW_MS },
  async () => {
    const team = await FakeTeam.up(yaml.replace("idle: 60", "idle: 0.2"), {
      boss: (said) => `You say: ${said}`,
    });
    writeLog(team, "boss", "What I said before.");
    await team.until("agent_state", {
      fits: ({ agent, state }) => agent === "boss" && state === "hibernated",
    });
    const place = ["--state-dir", team.stateDir];
    const piped = await new TeamStage("", "").runWith("good day\n", "attach", "boss", ...place);
    expect(piped).toMatchObject({
      code: 77,
      out: "",
      err: expect.stringMatching(/read_only[^]*switchboard send -/),
    });
    const terminal = new AttachedTerminal("boss", place, undefined, "switchboard");
    await terminal.sees("boss is hibernated. A message starts it");
    await terminal.sees("What I said before.");
    terminal.type("good morning\r");
    await terminal.sees("You say: good morning");
    terminal.type("\u0004");
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen.match(/is hibernated/g)).toHaveLength(1);
  },
);

test(
  "attach shows the logs of a stopped team, and says that it is stopped",
  { timeout: SLOW_MS },
  async () => {
    const team = await FakeTeam.up(yaml, { boss: (said) => `You say: ${said}` });
    const { cli } = commandsFor(team);
    const stage = new TeamStage("", "");
    const place = ["--state-dir", team.stateDir];
    const waited = await stage.runWith("good day\n", "attach", "boss", "--wait", ...place);
    expect(waited).toMatchObject({ code: 0, out: "You say: good day\n" });
    writeLog(team, "coder", "What I said before.");
    await team.stop();
    const look = await cli("attach", "coder");
    expect(look).toMatchObject({ code: 0, out: "What I said before." });
    expect(look.err).toMatch(/The team fake .*is stopped[^]*switchboard up/);
  },
);
