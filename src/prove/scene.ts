import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { MessageOptions, SessionClient } from "../client/index.ts";
import { connectSession } from "../client/index.ts";
import type { JournalEntry } from "../rehearsal/index.ts";
import { errorOf } from "../wire/errors.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { UntilOptions } from "./session-events.ts";
import { SessionEvents } from "./session-events.ts";
import type { HostProcess } from "./host-process.ts";
import { startHostProcess } from "./host-process.ts";
import { cliProcessesOf, processesWith } from "./process-list.ts";
import type { Evidence } from "./verdict.ts";
import { allOf, conversationOf, copiesIn, judgeCopies, judgeRuns, ownRequests } from "./verdict.ts";

export interface SceneSetting {
  /** A directory of its own, which holds everything that the case leaves behind. */
  readonly root: string;
  readonly flags: readonly string[];
  readonly env: Record<string, string>;
  readonly persona: string;
  readonly requests: () => JournalEntry[];
  readonly signal: AbortSignal;
}

const POLL_MS = 20;
const WAIT_MS = 45_000;
/** A host's children end with it; the system needs a moment to show that. */
const LEAVE_MS = 5_000;

/** One session through as many hosts as a case kills, with everything that can be checked of it. */
export class Scene {
  readonly cwd: string;
  readonly faults: string[] = [];
  readonly #setting: SceneSetting;
  /** Aborts also when a host ends by itself: nothing more will come then. */
  readonly #signal: AbortSignal;
  readonly #lost = new AbortController();
  readonly #heard = new SessionEvents();
  readonly #mark = randomUUID().slice(0, 8);
  /** The texts that the model must find once in each request from now on. */
  #said: string[] = [];
  #count = 0;
  #hosts: HostProcess[] = [];
  #client: SessionClient | undefined;
  #sessionId = "";

  constructor(setting: SceneSetting) {
    this.#setting = setting;
    this.#signal = AbortSignal.any([setting.signal, this.#lost.signal]);
    this.cwd = join(setting.root, "project");
    mkdirSync(this.cwd, { recursive: true });
  }

  /** The session's events so far, over all hosts. */
  get events(): readonly SessionEvent[] {
    return this.#heard.events;
  }

  get client(): SessionClient {
    if (!this.#client) throw errorOf("internal", "The scene has not been opened.");
    return this.#client;
  }

  /** The model's requests of this conversation. */
  get requests(): JournalEntry[] {
    return ownRequests(this.#setting.requests());
  }

  get lastRequest(): JournalEntry {
    const last = this.requests.at(-1);
    if (!last) throw errorOf("execution_failed", "No request has reached the model.");
    return last;
  }

  get evidence(): Evidence {
    return {
      persona: this.#setting.persona,
      events: this.events,
      requests: this.#setting.requests(),
    };
  }

  async open(): Promise<void> {
    await this.#start([]);
    const how = { name: "proof", since: 0, signal: this.#signal };
    this.#client = await connectSession(this.#socket, how);
    void this.#listen(this.#client);
  }

  /** Records a fault unless `holds`. */
  check(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(fault);
  }

  checkAll(faults: readonly string[]): void {
    this.faults.push(...faults);
  }

  checkRuns(name: string, expected: number): void {
    this.checkAll(judgeRuns(name, this.runs(name), expected));
  }

  /** Checks that the model's last request contains this text. */
  checkTold(words: string): void {
    this.check(
      conversationOf(this.lastRequest).includes(words),
      `The model was not told "${words}".`,
    );
  }

  /** Sends a unique text; resolves with the message's id when it is accepted. */
  async say(text: string, options: MessageOptions = {}): Promise<string> {
    this.#count += 1;
    const words = `[${this.#mark}-${this.#count}]`;
    this.#said.push(words);
    const { id } = await this.client.send(`${text} ${words}`, options);
    return id;
  }

  /** Sends it, and waits for the end of the turn that answers it. */
  async ask(text: string, options: MessageOptions = {}): Promise<SessionEventOf<"done">> {
    return this.endOf(await this.say(text, options));
  }

  /** A command of the CLI, which does not reach the model; earlier texts are forgotten. */
  async clear(): Promise<SessionEventOf<"done">> {
    const { id } = await this.client.send("/clear");
    this.#said = [];
    return this.endOf(id);
  }

  /** The last text was dropped: the model must not get it. */
  async checkDropped(): Promise<void> {
    const words = this.#said.pop() ?? "";
    await this.ask("hello");
    this.check(copiesIn(this.lastRequest, words) === 0, "A dropped message reached the model.");
  }

  endOf(id: string): Promise<SessionEventOf<"done">> {
    return this.until("done", { fits: ({ messages }) => messages.includes(id) });
  }

  until<Type extends SessionEvent["type"]>(
    type: Type,
    options: UntilOptions<Type> = {},
  ): Promise<SessionEventOf<Type>> {
    return this.#heard.until(type, options, this.#signal);
  }

  /** Waits for something that no event reports. */
  async untilSo(what: string, holds: () => boolean): Promise<void> {
    const deadline = performance.now() + WAIT_MS;
    while (!holds()) {
      this.#signal.throwIfAborted();
      if (performance.now() > deadline) {
        throw errorOf("timeout", `After ${WAIT_MS / 1000} s it was still not true that ${what}.`);
      }
      await delay(POLL_MS);
    }
  }

  /** The text of a turn, joined from its deltas. */
  textOf(turnId: string): string {
    return allOf(this.events, "text_delta")
      .filter((event) => event.turn_id === turnId && event.parent === undefined)
      .map(({ text }) => text)
      .join("");
  }

  /** How often the call with this mark has run: each run adds a line. */
  runs(name: string): number {
    const file = join(this.cwd, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
  }

  makeFile(name: string): void {
    writeFileSync(join(this.cwd, name), "");
  }

  /** The call is in the CLI's transcript, so that it can be asked again after a crash. */
  async untilOnDisk(requestId: string): Promise<void> {
    const projects = join(this.#setting.root, "config/projects");
    const isThere = (): boolean =>
      existsSync(projects) &&
      readdirSync(projects, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .some((name) => readFileSync(join(projects, name), "utf8").includes(requestId));
    await this.untilSo("the call stands in the CLI's transcript", isThere);
  }

  /** Kills the host and starts another on its session, as a user would. */
  async killHost(): Promise<void> {
    await this.#host.kill();
    await this.#start(["--resume", this.#sessionIdNow]);
  }

  /** Kills the CLI; the host starts another by itself. */
  async killCli(): Promise<void> {
    const pids = await cliProcessesOf(this.#host.pid);
    if (pids.length === 0) throw errorOf("execution_failed", "No CLI runs below the host.");
    for (const pid of pids) endProcess(pid);
  }

  /** Ends the host in good order and starts another on its session. */
  async stopAndResume(): Promise<void> {
    await this.#stopHost();
    await this.#start(["--resume", this.#sessionIdNow]);
  }

  /** A last message, whose request shows what the conversation holds. */
  async sayGoodbye(): Promise<void> {
    const { stop_reason } = await this.ask("good bye");
    this.check(stop_reason === "completed", `The last turn ended with ${stop_reason}.`);
    this.checkAll(judgeCopies(this.lastRequest, this.#said));
  }

  /** Ends the host in order, records what is left of it, and kills the rest. */
  async close(): Promise<void> {
    await this.#client?.close();
    if (this.#hosts.length > 0) await this.#stopHost();
    await Promise.allSettled(this.#hosts.map(({ gone }) => gone));
    const deadline = performance.now() + LEAVE_MS;
    let left = processesWith(this.#setting.root);
    while (left.length > 0 && performance.now() < deadline) {
      await delay(POLL_MS);
      left = processesWith(this.#setting.root);
    }
    this.check(left.length === 0, `These processes are left: ${left.join(", ")}.`);
    for (const pid of left) endProcess(pid);
  }

  get #host(): HostProcess {
    const host = this.#hosts.at(-1);
    if (!host) throw errorOf("internal", "No host was started.");
    return host;
  }

  get #socket(): string {
    return join(this.#setting.root, "proof.sock");
  }

  /** It changes with /clear. */
  get #sessionIdNow(): string {
    return allOf(this.events, "session_changed").at(-1)?.session_id ?? this.#sessionId;
  }

  async #start(more: readonly string[]): Promise<void> {
    const { flags, env, root } = this.#setting;
    const own = ["--cwd", this.cwd, "--socket", this.#socket, "--log-level", "warn"];
    const args = [...own, ...flags, ...more];
    const host = startHostProcess(args, env, root);
    this.#hosts.push(host);
    this.#sessionId = await host.ready;
    void host.lost.then((words) => this.#lost.abort(errorOf("cli_exited", words)));
  }

  async #stopHost(): Promise<void> {
    const { stage, exit } = await this.#host.stop();
    // `lost` has reported the output of a host that ended by itself.
    if (stage === "ended") return;
    this.check(
      exit.code === 0,
      `agent-socket was stopped and ended with ${exit.code ?? exit.signal}.`,
    );
  }

  async #listen(client: SessionClient): Promise<void> {
    try {
      for await (const item of client.events()) {
        if (item.type === "reset") this.faults.push("The session's log began again.");
        else this.#heard.add(item);
      }
    } catch (error) {
      this.faults.push(`The connection was given up: ${String(error)}`);
    }
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
