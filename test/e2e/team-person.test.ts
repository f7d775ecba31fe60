import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const team = `
name: people
lead: boss
policy:
  - { tool: Write, match: "*/by-policy.txt", action: allow }
agents:
  boss: { description: leads, prompt: p, isolation: home, workdir: work }
  coder: { description: codes, prompt: p, isolation: shared, worktree: true }
`;

const send = (content: string, more = ""): string =>
  `{ name: mcp__team__send_message, input: { to: coder, content: '${content}'${more} } }`;
const write = (file: string): string =>
  `[{ name: Write, input: { file_path: '${file}', content: x } }]`;

const scriptFor = (tree: string): string => `
rules:${roleRule}
  - when: { agent: boss, user: by policy }
    tools: [${send("write by policy", ", wait: true")}]
  - when: { agent: boss, user: by a person }
    tools: [${send("write by hand")}]
  - when: { agent: boss, user: be late }
    tools: [${send("too late", ", metadata: { ttl: 1 }")}]
  - when: { agent: boss, tool_result: { text: /accepted/ } }
    text: I have asked.
  - when: { agent: coder, peer: write by policy }
    tools: ${write(join(tree, "by-policy.txt"))}
  - when: { agent: coder, peer: write by hand }
    tools: ${write(join(tree, "by-hand.txt"))}
  - when: { agent: coder, tool_result: { is_error: true } }
    text: I was not allowed to.
  - when: { agent: coder, tool_result: { name: Write } }
    text: It is written.
  - when: { agent: coder, peer: too late }
    text: Not too late.
  - when: { agent: boss, tool_result: { text: "/(It is written)/" } }
    text: "The coder says: $1"
  - when: { agent: boss, peer: "/(It is written|not allowed|not delivered|Not too late)/" }
    text: "I hear: $1"
default: { text: UNEXPECTED }
`;

// It starts many short commands, which a busy machine is slow at.
const SLOW_MS = 300_000;

test(
  "a person decides approvals, attaches to an agent, and reads the log and dead letters on the command line",
  { timeout: SLOW_MS },
  async () => {
    const stage = new TeamStage(team, "");
    mkdirSync(stage.work);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
        cwd: stage.root,
      });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "first");
    const tree = join(stage.stateDir, "worktrees/coder");
    stage.writeScript(scriptFor(tree));
    const run = await stage.up({ ready: ["boss", "coder"] });
    const cli = async (...args: string[]) => {
      const { out, err, code } = await stage.run(...args, "--state-dir", stage.stateDir);
      return { out: out.trim(), err, code };
    };

    // Whose configuration the CLI of each agent sees.
    const environmentOf = (agent: string): string[] => {
      const cliProcess = stage
        .processes()
        .find(
          ({ pid, command }) => command.includes("stream-json") && baseUrlOf(pid).endsWith(agent),
        );
      const environ = readFileSync(`/proc/${cliProcess?.pid}/environ`, "utf8").split("\0");
      return environ.filter((each) => /^(HOME|CLAUDE_CONFIG_DIR)=/.test(each));
    };
    expect(environmentOf("boss")).toEqual([`HOME=${join(stage.stateDir, "agents/boss")}`]);
    expect(environmentOf("coder")).toEqual([`HOME=${stage.root}`]);

    const follower = stage.spawn(["log", "--follow", "--json", "--state-dir", stage.stateDir]);
    let followed = "";
    follower.stdout?.on("data", (chunk) => (followed += String(chunk)));

    // By the policy, in a worktree of its own.
    expect(await run.ask("by policy")).toBe("The coder says: It is written");
    expect(existsSync(join(tree, "by-policy.txt"))).toBe(true);
    expect(await run.until("approval_resolved")).toMatchObject({
      by: "policy",
      rule: "1: allow Write(*/by-policy.txt)",
    });

    // By a person, who has to be asked; meanwhile another message dies of age.
    const since = run.told.length;
    const asked = run.ask("by a person");
    const { request } = await run.until("approval_requested", { since });
    const approvals = await cli("approvals");
    expect(approvals.out).toMatch(
      new RegExp(`${request.request_id} +coder +[0-9:]+ +Write .*by-hand.txt\n +\\+ x`),
    );
    expect(await cli("send", "--no-wait", "be late")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Accepted as /),
    });
    await run.until("message_sent", {
      since,
      fits: ({ message }) => message.content === "too late",
    });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await cli("deny", request.request_id, "--reason", "not today")).out).toBe("Denied.");
    expect(await run.until("approval_resolved", { since })).toMatchObject({
      outcome: "denied",
      by: `${userInfo().username} (command line)`,
    });
    expect((await cli("approvals")).out).toBe("No agent waits for a decision.");
    expect(await asked).toBe("I hear: not allowed");
    const denied = (await stage.requests("coder")).flatMap((entry) => entry.new_tool_results);
    expect(denied.find(({ is_error }) => is_error)?.text).toContain("not today");
    expect(existsSync(join(tree, "by-hand.txt"))).toBe(false);

    // Dead letters.
    await run.until("message_moved", { since, fits: ({ step }) => step === "dead" });
    const [letter = ""] = (await cli("dlq", "--json")).out.split("\n");
    const { id } = (JSON.parse(letter) as { message: { id: string } }).message;
    expect((await cli("dlq")).out).toMatch(
      new RegExp(`${id} .* boss +coder +its time to live was over +too late`),
    );
    expect((await cli("dlq", "inspect", id)).out).toMatch(
      /Why +its time to live was over[^]*\n\ntoo late$/,
    );
    expect(await cli("dlq", "inspect")).toMatchObject({
      code: 64,
      err: expect.stringContaining("needs the id"),
    });
    expect((await cli("dlq", "resend", id)).out).toContain("Sent again");
    await run.until("said", { since, fits: ({ text }) => text === "Not too late." });
    expect((await cli("dlq")).out).toBe("No dead letters.");

    // Others than the lead can only be watched.
    const place = ["--state-dir", stage.stateDir];
    const watching = await stage.runWith("do as I say\n", "attach", "coder", ...place);
    expect(watching.err).toMatch(/read.only|only watch/i);
    expect(JSON.stringify((await stage.requests("coder")).at(-1)?.body)).not.toContain(
      "do as I say",
    );
    const nobody = await cli("attach", "nobody");
    expect(nobody.err).toContain("Its agents are: boss, coder.");

    // The log has told all of it by now, as it happened.
    await expect.poll(() => followed).toContain('"error":"agent_unavailable: Not delivered');
    const entries = followed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string });
    expect(new Set(entries.map((entry) => entry.id)).size).toBe(entries.length);
    follower.kill("SIGINT");
    expect(await once(follower, "close")).toEqual([0, null]);
    expect(await stage.rehearsal.failures()).toEqual([]);
  },
);

const baseUrlOf = (pid: number): string =>
  /ANTHROPIC_BASE_URL=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, "utf8"))?.[1] ?? "";
