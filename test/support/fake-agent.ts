import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentPaths } from "../../src/team/host/local/agent-paths.ts";
import { applyEvent } from "../../src/session-state/apply-event.ts";
import { messageOver } from "../../src/session-state/message-outcome.ts";
import { emptyState } from "../../src/session-state/session-state.ts";
import { teamToolNames } from "../../src/team/tools/team-tool-names.ts";
import type { JsonObject } from "../../src/wire/json.ts";
import type { MessageOver } from "../../src/wire/session/answers.ts";
import type { SessionCommand, SessionCommandOf } from "../../src/wire/session/commands.ts";
import type { Answers } from "../../src/wire/session/shared-schemas.ts";
import type { StopReason } from "../../src/wire/session/turn-events.ts";
import type { FakeClient } from "./fake-session.ts";
import { FakeSession } from "./fake-session.ts";
import { FramePeer } from "./frames.ts";

/** What the tool returned. */
export interface Returned {
  readonly text: string;
  readonly isError: boolean;
}

/** What an agent does with a message; the text that it returns is the final one of its turn. */
export type Brain = (said: string, self: FakeAgent) => string | Promise<string>;

interface Turn {
  readonly id: string;
  readonly messages: string[];
  readonly ended: PromiseWithResolvers<StopReason>;
  /** A usage limit has ended it: its messages stay open. */
  isLimited?: boolean;
}

const SOCKET = "claudecode_ipc_team.sock";

/**
 * An agent without a process: its session is played in the test, at the socket at which the team looks for
 * one that runs already. Its tools are the team's real ones.
 */
export class FakeAgent {
  readonly session: FakeSession;
  readonly id: string;
  brain: Brain = () => "done";
  /** What each of its turns costs. */
  cost = { usd: 0.01, tokens: 10 };
  /** Its tools do not start, and so it never gets ready. */
  isBroken = false;
  /** It never says how it is, and so it never gets ready. */
  isSilent = false;
  /** Its CLI ends the turn of such words at once and does not write them down, as a hook can make it do. */
  refuses: (text: string) => boolean = () => false;
  /** A message joins the running turn. Without a further tool call in the turn, the CLI begins another one for it. */
  joins = true;
  /** How many turns have begun. */
  turns = 0;
  /** Everything that was put into its conversation. */
  readonly heard: string[] = [];
  readonly #paths: AgentPaths;
  readonly #queue: SessionCommandOf<"message">[] = [];
  readonly #decisions = new Map<string, (outcome: "allowed" | "denied") => void>();
  readonly #answers = new Map<string, (answers: Answers) => void>();
  readonly #openCalls = new Set<FramePeer>();
  #turn: Turn | undefined;
  #calls = 0;

  constructor(id: string, paths: AgentPaths) {
    this.id = id;
    this.#paths = paths;
    mkdirSync(dirname(paths.socket), { recursive: true, mode: 0o700 });
    this.session = new FakeSession(paths.socket);
    this.session.logId = `log-${id}`;
    this.session.answersStatus = false;
    this.session.onCommand = (command, client) => this.#obey(command, client);
  }

  /** Where bridges of its session call the team's tools. */
  get toolSocket(): string {
    return join(this.#paths.tools, SOCKET);
  }

  /** Calls a tool of the team, as a model in a turn would. */
  async call(tool: string, input: Record<string, unknown>): Promise<Returned> {
    this.#calls += 1;
    const request_id = `toolu_${this.id}_${this.#calls}`;
    this.session.happen({
      type: "tool_use",
      request_id,
      tool: `mcp__team__${tool}`,
      input: input as Record<string, string>,
      ...this.#inTurn,
    });
    await using peer = await FramePeer.connect(this.toolSocket);
    this.#openCalls.add(peer);
    const answer = (await peer.ask({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: tool, arguments: input, _meta: { "claudecode/toolUseId": request_id } },
    })) as {
      result: { content: { text: string }[]; isError?: boolean; _meta?: JsonObject };
    };
    this.#openCalls.delete(peer);
    const { content, isError = false, _meta: meta } = answer.result;
    const text = content.map((block) => block.text).join("\n");
    this.session.happen({
      type: "tool_result",
      request_id,
      output: text,
      is_error: isError,
      ...(meta && { meta }),
      ...this.#inTurn,
    });
    return { text, isError };
  }

  send(to: string, content: string, more: Record<string, unknown> = {}): Promise<Returned> {
    return this.call("send_message", { to, content, ...more });
  }

  /** Its CLI is killed, and with it the bridge: the calls that wait will have no result. */
  async loseCli(): Promise<void> {
    for (const peer of this.#openCalls) await peer.channel.close();
    this.#openCalls.clear();
  }

  /** Its host has noticed: the turn is over, and its messages are taken up by the next one. */
  noticeLoss(): void {
    this.#turn?.ended.resolve("cli_lost");
  }

  /** A usage limit ends its turn, and it is to go on by itself. */
  async waitForReset(due: string): Promise<never> {
    const turn = this.#turn;
    if (!turn) throw new Error("There is no turn.");
    const planned = { due, messages: turn.messages, id: randomUUID() };
    this.session.continuation = planned;
    this.session.happen({ type: "continuation_planned", turn_id: turn.id, ...planned });
    turn.isLimited = true;
    turn.ended.resolve("failed");
    return new Promise(() => {});
  }

  /** Puts a message into its queue that its log has already. */
  queue(command: SessionCommandOf<"message">): void {
    this.#queue.push(command);
  }

  /** Asks for permission to use a tool, and waits for what was decided. */
  async askLeave(
    tool: string,
    input: Record<string, string>,
    deadlineMs?: number,
  ): Promise<"allowed" | "denied"> {
    this.#calls += 1;
    const request_id = `toolu_${this.id}_${this.#calls}`;
    const decided = Promise.withResolvers<"allowed" | "denied">();
    this.#decisions.set(request_id, decided.resolve);
    this.session.happen({
      type: "approval_request",
      request_id,
      tool,
      input,
      scopes: [{ scope: "once", label: "Once" }],
      ...(deadlineMs !== undefined && deadlineIn(deadlineMs)),
      ...this.#inTurn,
    });
    return decided.promise;
  }

  /** Has a plan, and waits for leave to go on with it. */
  async askForPlan(plan: string): Promise<"allowed" | "denied"> {
    this.#calls += 1;
    const request_id = `toolu_${this.id}_${this.#calls}`;
    const decided = Promise.withResolvers<"allowed" | "denied">();
    this.#decisions.set(request_id, decided.resolve);
    this.session.happen({ type: "plan", request_id, plan, ...this.#inTurn });
    return decided.promise;
  }

  /** Asks the user, and waits for the answers. */
  async askUser(...questions: { question: string; labels: string[] }[]): Promise<Answers> {
    this.#calls += 1;
    const request_id = `toolu_${this.id}_${this.#calls}`;
    const { promise, resolve } = Promise.withResolvers<Answers>();
    this.#answers.set(request_id, resolve);
    this.session.happen({
      type: "question",
      request_id,
      questions: questions.map(({ question, labels }) => ({
        question,
        options: labels.map((label) => ({ label })),
        multi: false,
      })),
      ...this.#inTurn,
    });
    return promise;
  }

  get #inTurn(): { turn_id?: string } {
    return this.#turn ? { turn_id: this.#turn.id } : {};
  }

  #obey(command: SessionCommand, client: FakeClient): void {
    switch (command.type) {
      case "message":
        client.answer(command, "ok", this.#take(command, client.name));
        break;
      case "status":
        if (this.isSilent) break;
        client.answer(command, "status", { ...this.session.init, type: "status", ...this.#status });
        break;
      case "approve":
      case "deny":
        if (this.#isDecided(command, client)) break;
        this.#decide(command);
        client.answer(command, "ok");
        break;
      case "hold":
        this.session.happen({
          type: "request_held",
          request_id: command.request_id,
          ...deadlineIn(command.ms),
          by: "switchboard",
        });
        client.answer(command, "ok");
        break;
      case "answer":
        this.#answer(command);
        client.answer(command, "ok");
        break;
      case "drop":
        client.answer(command, "ok", { outcome: this.#drop(command.id, client.name) });
        break;
      case "abort":
        this.#turn?.ended.resolve("aborted");
        client.answer(command, "ok");
        break;
      case "shutdown":
        // It stays where it is, to be found again.
        client.answer(command, "ok");
        break;
      default:
        client.answer(command, "ok");
    }
  }

  get #status(): object {
    const tools = teamToolNames.map((name) => `mcp__team__${name}`);
    const team = this.isBroken
      ? { status: "failed", error: "broken on purpose" }
      : { status: "connected", tools };
    return {
      mcp_servers: [{ name: "team", ...team }],
      state: this.#turn ? "running" : "idle",
      queued: this.#queue.map(({ id }) => id),
    };
  }

  /** Gives back what its answer says. */
  #take(command: SessionCommandOf<"message">, by: string | undefined): { over?: MessageOver } {
    const { id = randomUUID(), content, from, quiet } = command;
    const text = command.text ?? JSON.stringify(content);
    const state = emptyState();
    for (const event of this.session.log) applyEvent(state, event);
    const over = messageOver(state, id);
    if (state.acceptedIds.has(id)) return over ? { over } : {};
    const who = { ...(from && { from }), ...(by !== undefined && { by }) };
    this.session.happen({ type: "user_message", id, text, quiet, ...who });
    if (quiet || (this.#turn && this.joins)) {
      this.#see(id, text);
      this.#turn?.messages.push(id);
      return {};
    }
    this.#queue.push({ ...command, id, text });
    void this.#work();
    return {};
  }

  #drop(id: string, by: string | undefined): "dropped" | "too_late" {
    const index = this.#queue.findIndex((command) => command.id === id);
    if (index < 0) return "too_late";
    this.#queue.splice(index, 1);
    const who = by === undefined ? {} : { by };
    this.session.happen({ type: "message_dropped", id, reason: "dropped", ...who });
    return "dropped";
  }

  #see(id: string, text: string): void {
    this.heard.push(text);
    this.session.happen({ type: "message_seen", id });
  }

  async #work(): Promise<void> {
    const next = this.#turn ? undefined : this.#queue.shift();
    if (!next) return;
    const { id = "", text = "" } = next;
    this.turns += 1;
    const turn: Turn = {
      id: `turn-${this.id}-${this.turns}`,
      messages: [id],
      ended: Promise.withResolvers<StopReason>(),
    };
    this.#turn = turn;
    this.session.happen({
      type: "turn_started",
      turn_id: turn.id,
      messages: [id],
      cause: "message",
    });
    if (this.refuses(text)) turn.ended.resolve("completed");
    else this.#see(id, text);
    const first = await Promise.race([turn.ended.promise.then(() => undefined), this.#think(text)]);
    if (first) {
      this.session.happen({ type: "text_delta", turn_id: turn.id, block: this.turns, text: first });
      turn.ended.resolve("completed");
    }
    this.session.happen({
      type: "done",
      turn_id: turn.id,
      messages: turn.isLimited === true ? [] : turn.messages,
      usage: { input_tokens: this.cost.tokens, output_tokens: 0 },
      cost_usd: this.cost.usd,
      duration_ms: 1,
      stop_reason: await turn.ended.promise,
    });
    this.#turn = undefined;
    void this.#work();
  }

  async #think(text: string): Promise<string> {
    try {
      return await this.brain(text, this);
    } catch (error) {
      return `broken: ${String(error)}`;
    }
  }

  /** The first decision wins, as in a real session. */
  #isDecided(command: SessionCommandOf<"approve" | "deny">, client: FakeClient): boolean {
    const event = this.session.log.findLast(
      (each) => each.type === "approval_resolved" && each.request_id === command.request_id,
    );
    if (event?.type !== "approval_resolved") return false;
    const { outcome, by } = event;
    const data = { outcome, ...(by !== undefined && { by }) };
    const message = `The request was ${outcome} before.`;
    const refused = { code: "already_resolved", message, hint: "", retryable: false, data };
    client.answer(command, "error", refused);
    return true;
  }

  #decide(command: SessionCommandOf<"approve" | "deny">): void {
    const { request_id } = command;
    const outcome = command.type === "approve" ? "allowed" : "denied";
    this.session.happen({
      type: "approval_resolved",
      request_id,
      outcome,
      by: "switchboard",
      ...(command.type === "approve" ? howAllowed(command) : { reason: command.reason }),
    });
    this.#decisions.get(request_id)?.(outcome);
    if (command.type === "deny" && command.interrupt) this.#turn?.ended.resolve("denied");
  }

  #answer({ request_id, answers }: SessionCommandOf<"answer">): void {
    this.session.happen({
      type: "approval_resolved",
      request_id,
      outcome: "allowed",
      by: "switchboard",
      answers,
    });
    this.#answers.get(request_id)?.(answers);
  }
}

const deadlineIn = (ms: number): { deadline: string; remaining_ms: number } => ({
  deadline: new Date(Date.now() + ms).toISOString(),
  remaining_ms: ms,
});

const howAllowed = ({ scope, updated_input, mode, plan }: SessionCommandOf<"approve">) => ({
  scope,
  ...(updated_input && { updated_input }),
  ...(mode && { mode }),
  ...(plan !== undefined && { plan }),
});
