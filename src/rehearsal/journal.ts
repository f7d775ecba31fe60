import { appendFileSync } from "node:fs";
import { errorOf } from "../wire/errors.ts";
import { encodeLine } from "../wire/lines.ts";
import type { ScriptedFault } from "./answer-schema.ts";
import type { MessagesRequest } from "./messages-api.ts";
import type { RuleName } from "./play-script.ts";
import type { SeenToolResult } from "./request-view.ts";

/** A request as it arrived. */
export interface JournalRequest {
  /** 1, 2, 3, … within a run. */
  id: number;
  at: string;
  /**
   * `side`: a request of the CLI for itself, such as for a title. `other`: a request that this server does not know.
   */
  kind: "main" | "side" | "count_tokens" | "hello" | "other";
  method: string;
  path: string;
  agent: string | null;
  session_id: string | null;
  subagent_id: string | null;
  /** The rules' `turn`; null outside conversations. */
  turn: number | null;
  /** The user's last message in the conversation, new or not. */
  user: string | null;
  /** What came after the model's last answer. */
  new_user_texts: string[];
  new_peer_texts: string[];
  new_tool_results: SeenToolResult[];
  system: string;
  tools: string[];
  /** Headers that identify the client. Never keys. */
  headers: Record<string, string>;
  /** The whole body; null when there was no readable one. */
  body: MessagesRequest | null;
}

export interface RequestOutcome {
  at: string;
  /**
   * `answered`: sent completely. `fault`: failed as scripted. `no_rule`: the script had no answer, or threw.
   * `client_left`: the connection ended first. `rejected`: an unknown request.
   */
  result: "answered" | "fault" | "no_rule" | "client_left" | "rejected";
  rule?: RuleName;
  fault?: ScriptedFault["kind"];
  status?: number;
  message_id?: string;
  tool_use_ids?: string[];
  /** For a person to read. */
  detail?: string;
}

type JournalFact =
  | { type: "started"; url: string; script: string }
  | { type: "script_changed"; script: string }
  | { type: "request"; request: JournalRequest }
  | { type: "first_delta"; id: number }
  | { type: "finished"; id: number; outcome: RequestOutcome };

/** `n` counts the events of a run; `run` distinguishes runs that append to one file. */
export type JournalEvent = { n: number; at: string; run: string } & JournalFact;

export interface JournalEntry extends JournalRequest {
  first_delta_at?: string;
  /** Absent while the request is open. */
  outcome?: RequestOutcome;
}

/** Requests carry whole conversations; memory keeps this many of the newest, the file keeps all. */
const keptRequests = 2000;
/** A request body is bounded, and an event adds little to it. */
export const maxEventBytes = 128 * 1024 * 1024;

/** Everything that happened, in order: in memory, in a file if one is given, and to listeners. */
export class Journal {
  readonly run: string;
  readonly #file: string | undefined;
  readonly #listeners = new Set<(event: JournalEvent) => void>();
  #events: JournalEvent[] = [];
  #entries = new Map<number, JournalEntry>();
  #recorded = 0;
  #requests = 0;

  /** @throws `invalid_params` when the file cannot be written. */
  constructor(run: string, file?: string) {
    this.run = run;
    this.#file = file;
    if (file !== undefined) requireWritable(file);
  }

  get entries(): JournalEntry[] {
    return [...this.#entries.values()];
  }

  get events(): readonly JournalEvent[] {
    return this.#events;
  }

  /** Requests that the script had no answer for. A successful rehearsal has none. */
  get failures(): JournalEntry[] {
    return this.entries.filter(isFailure);
  }

  record(fact: JournalFact): void {
    this.#recorded += 1;
    const at = new Date().toISOString();
    const event: JournalEvent = { n: this.#recorded, at, run: this.run, ...fact };
    // In the file before listeners get it: a process that is killed on an event leaves it there.
    if (this.#file !== undefined) appendFileSync(this.#file, journalLine(event), { mode: 0o600 });
    this.#events.push(event);
    foldEvent(this.#entries, event);
    this.#forgetOldest();
    for (const listener of this.#listeners) listener(event);
  }

  /** Records a request and returns its number. */
  open(request: Omit<JournalRequest, "id" | "at">): number {
    this.#requests += 1;
    const id = this.#requests;
    this.record({ type: "request", request: { id, at: new Date().toISOString(), ...request } });
    return id;
  }

  close(id: number, outcome: Omit<RequestOutcome, "at">): void {
    const at = new Date().toISOString();
    this.record({ type: "finished", id, outcome: { at, ...outcome } });
  }

  /** Calls back for every later event. Returns an unsubscribe function. */
  listen(listener: (event: JournalEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Half at a time, so that it costs little per request. */
  #forgetOldest(): void {
    if (this.#entries.size <= keptRequests) return;
    const oldestKept = this.#requests - keptRequests / 2;
    const isKept = (id: number): boolean => id > oldestKept;
    this.#entries = new Map(
      [...this.#entries].filter(([id, entry]) => isKept(id) || isFailure(entry)),
    );
    this.#events = this.#events.filter((event) => isKept(requestOf(event) ?? Infinity));
  }
}

function requireWritable(file: string): void {
  try {
    appendFileSync(file, "", { mode: 0o600 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw errorOf("invalid_params", `The journal cannot be written to ${file}: ${reason}`, {
      cause,
      hint: "Name a file in a directory that exists and that you may write.",
    });
  }
}

/** Applies the next event of a run to its entries. */
export function foldEvent(entries: Map<number, JournalEntry>, event: JournalEvent): void {
  if (event.type === "request") entries.set(event.request.id, { ...event.request });
  if (event.type !== "first_delta" && event.type !== "finished") return;
  const entry = entries.get(event.id);
  if (!entry) return;
  if (event.type === "first_delta") entry.first_delta_at = event.at;
  else entry.outcome = event.outcome;
}

export function isFailure({ outcome }: JournalEntry): boolean {
  return outcome?.result === "no_rule";
}

export function journalLine(event: JournalEvent): Uint8Array {
  return encodeLine(event, maxEventBytes);
}

function requestOf(event: JournalEvent): number | undefined {
  if (event.type === "request") return event.request.id;
  return event.type === "first_delta" || event.type === "finished" ? event.id : undefined;
}
