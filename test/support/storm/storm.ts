import { setTimeout as sleep } from "node:timers/promises";
import type { AgentSocket, Home } from "../agent-socket-process.ts";
import { startAgentSocket } from "../agent-socket-process.ts";
import { persona } from "../persona.ts";
import type { Line } from "../session-line-client.ts";
import { SessionLineClient } from "../session-line-client.ts";
import type { Step } from "./script.ts";
import { afterCrash, stepKinds, wordsOf } from "./script.ts";
import { StormyClient } from "./stormy-client.ts";

/** What a host is killed on. Besides events: while it starts, and some time after it has. */
const triggers = [
  "user_message",
  "approval_request",
  "tool_use",
  "text_delta",
  "approval_resolved",
  "message_seen",
  "tool_result",
  "turn_started",
  "done",
  "chance",
  "start",
] as const;

const STEP_MS = 120_000;
/** As small as can be, and messages so long that the log begins a new file again and again. */
const SEGMENT_BYTES = 65_536;
const LONG_WORDS = "and more of that ".repeat(1_000);

export interface StormOptions {
  home: Home;
  socket: string;
  env: Record<string, string>;
  kills: number;
  disconnects: number;
  random: () => number;
}

/** A conversation that goes on while its client loses the connection and its host is killed. */
export class Storm {
  readonly #options: StormOptions;
  readonly client: StormyClient;
  readonly killedOn: string[] = [];
  /** Of a host that ended by itself, which none should. */
  readonly deaths: string[] = [];
  /** Messages that no event has shown to be accepted. */
  readonly #unsent = new Map<string, object>();
  readonly #pending = new Map<string, Line>();
  #steps = 0;
  #sessionId: string | undefined;
  #host: AgentSocket | undefined;
  #watch: SessionLineClient | undefined;
  #over = false;
  #hosting: Promise<void>;

  constructor(options: StormOptions) {
    this.#options = options;
    this.client = new StormyClient(options.socket, () => this.#linesUntilLoss());
    this.client.onAttached = () => this.#goOn();
    const { client } = this;
    const add = client.add.bind(client);
    client.add = (line) => {
      add(line);
      this.#take(line);
    };
    this.#hosting = this.#keepHost();
  }

  get steps(): number {
    return this.#steps;
  }

  /** Talks until there were enough kills and losses, and then once more, undisturbed. */
  async run(): Promise<void> {
    const { kills, disconnects } = this.#options;
    while (this.killedOn.length < kills || this.client.disconnects < disconnects) {
      await this.#talk();
    }
    this.#over = true;
    await this.#end(this.#say({ n: this.#next(), kind: "text", after: "never" }));
  }

  /** Ends the session in good order; gives its exit code. */
  async shutDown(): Promise<number | null> {
    const closing = this.client.until("closing");
    this.client.send({ type: "shutdown" });
    await closing;
    await this.#hosting;
    this.client.close();
    return (await this.#host?.ended)?.code ?? null;
  }

  /** To find out what went wrong. */
  stop(): void {
    this.#over = true;
    this.client.close();
  }

  async #talk(): Promise<void> {
    const chance = this.#options.random;
    const said = [this.#say(this.#draw())];
    const more = chance() < 0.45 ? 1 + Math.floor(chance() * 2) : 0;
    for (let follow = 0; follow < more; follow += 1) {
      await this.client
        .until(pick(["turn_started", "user_message", "tool_use"], chance), {
          since: Math.max(0, this.client.told.length - 5),
          withinMs: 1_500,
        })
        .catch(() => {});
      const priority = pick(["next", "next", "later", "now"] as const, chance);
      const quiet = chance() < 0.2;
      said.push(this.#say(this.#draw(quiet), quiet ? { quiet } : { priority }));
    }
    for (const id of said) await this.#end(id);
  }

  #draw(quiet = false): Step {
    const { random } = this.#options;
    const kind = quiet ? "text" : pick(stepKinds, random);
    return { n: this.#next(), kind, after: pick(afterCrash, random) };
  }

  #next(): number {
    this.#steps += 1;
    return this.#steps;
  }

  #say(step: Step, more: object = {}): string {
    const id = `m${step.n}`;
    const command = { type: "message", id, text: `${wordsOf(step)} ${LONG_WORDS}`, ...more };
    this.#unsent.set(id, command);
    this.client.send(command);
    return id;
  }

  /** A quiet message ends when it is seen, and any other with the turn that names it. */
  async #end(id: string): Promise<void> {
    const isEnd = (line: Line): boolean => (line["messages"] as string[]).includes(id);
    const { quiet } = await this.client.until("user_message", {
      fits: (line) => line["id"] === id,
      withinMs: STEP_MS,
    });
    if (quiet === true) {
      await this.client.until("message_seen", {
        fits: (line) => line["id"] === id,
        withinMs: STEP_MS,
      });
    } else await this.client.until("done", { fits: isEnd, withinMs: STEP_MS });
  }

  #linesUntilLoss(): number {
    const { random, disconnects } = this.#options;
    const enough = this.#over || (this.client?.disconnects ?? 0) >= disconnects;
    return enough ? Infinity : Math.floor(random() ** 2 * 25);
  }

  /** The past has been told, or is about to be: what nobody has heard of is said again. */
  #goOn(): void {
    for (const command of this.#unsent.values()) this.client.send(command);
    for (const id of this.#pending.keys()) this.#answer(id);
  }

  #take(line: Line): void {
    const id = line["request_id"] as string;
    if (line.type === "user_message") this.#unsent.delete(line["id"] as string);
    if (line.type === "approval_resolved") this.#pending.delete(id);
    if (line.type !== "approval_request") return;
    this.#pending.set(id, line);
    this.#answer(id);
  }

  /** Soon or late, and now and then from two clients at once. */
  #answer(id: string): void {
    const chance = this.#options.random;
    const [delayMs, both] = [chance() < 0.5 ? 0 : chance() * 400, chance() < 0.3];
    setTimeout(() => {
      const asked = this.#pending.get(id);
      if (!asked) return;
      const isDenied = JSON.stringify(asked["input"]).includes(".deny");
      const answer = isDenied
        ? { type: "deny", request_id: id, reason: "Not this one." }
        : { type: "approve", request_id: id };
      this.client.send(answer);
      if (both) this.#watch?.send(answer);
    }, delayMs);
  }

  async #keepHost(): Promise<void> {
    const { home, socket, env, kills } = this.#options;
    for (;;) {
      const resume = this.#sessionId === undefined ? [] : ["--resume", this.#sessionId];
      const segments = ["--log-segment-bytes", String(SEGMENT_BYTES)];
      const prompt = ["--append-system-prompt", persona];
      const place = ["--cwd", home.cwd, "--socket", socket, ...segments, ...prompt];
      const host = startAgentSocket(home, [...place, ...resume], env);
      this.#host = host;
      // A session whose id is not known yet cannot be resumed.
      if (this.#sessionId === undefined) this.#sessionId = (await host.ready).session_id;
      if (this.killedOn.length < kills) await this.#killOnce(host);
      const { code, signal, stderr } = await host.ended;
      if (signal === "SIGKILL") continue;
      if (code !== 0) this.deaths.push(`${code}: ${stderr}`);
      return;
    }
  }

  /** Kills the host on its next trigger. */
  async #killOnce(host: AgentSocket): Promise<void> {
    const chance = this.#options.random;
    const trigger = triggers[this.killedOn.length % triggers.length] ?? "chance";
    const kill = (): void => {
      // Sent once: the host is gone a moment later.
      if (host.child.killed || this.#over) return;
      this.killedOn.push(trigger);
      host.child.kill("SIGKILL");
    };
    if (trigger === "start") {
      await sleep(chance() * 800);
      return kill();
    }
    await host.ready.catch(() => {});
    if (host.child.exitCode !== null) return;
    const watch = new SessionLineClient(this.#options.socket);
    this.#watch = watch;
    if (trigger === "chance") {
      await sleep(chance() * 3_000);
      return kill();
    }
    // Some events come many times: not always the first.
    let skip = Math.floor(chance() * 3);
    const add = watch.add.bind(watch);
    watch.add = (line) => {
      add(line);
      if (line.seq === undefined || line.type !== trigger) return;
      if (skip > 0) skip -= 1;
      else kill();
    };
  }
}

const pick = <T>(from: readonly T[], random: () => number): T => {
  const picked = from[Math.floor(random() * from.length)];
  if (picked === undefined) throw new Error("nothing to pick from");
  return picked;
};
