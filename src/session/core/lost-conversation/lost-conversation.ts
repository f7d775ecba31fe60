import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { LoggedMessage, LoggedTurn, Transcript } from "../../../engine/recovery/index.ts";
import {
  configDirOf,
  findTranscript,
  isUnbroken,
  messagesIn,
  readTranscript,
} from "../../../engine/recovery/index.ts";
import { describeFileError } from "../../../files/describe-file-error.ts";
import type { LoadText } from "../engine-message.ts";
import { cliUuidOf } from "../cli-message-uuid.ts";
import type { SessionContext } from "../session-context.ts";
import { sessionIdOf } from "../session-context.ts";
import { readConversation, readNewestText } from "./read-conversation.ts";
import { planRestore } from "./restore-transcript.ts";

const CODE = "conversation_lost";
/** A notice names at most this many messages; `data.count` has the total. */
const MAX_NAMED = 100;

type LostParts = Pick<SessionContext, "options" | "log" | "recorder" | "inbox" | "watch">;

/** What the log has and the CLI's transcript lacks, until a person decides. */
interface Undecided {
  requestId: string;
  turns: readonly LoggedTurn[];
}

/**
 * Compares the CLI's transcript with our log before a CLI reads it. What the CLI could not write, for example on a
 * full disk, is restored at once. What it wrote and is now gone may have been removed by a person or by the CLI's own
 * cleanup, so a person is asked, and messages wait.
 */
export class LostConversation {
  readonly #parts: LostParts;
  readonly #load: LoadText;
  #undecided: Undecided | undefined;
  #isIncomplete = false;

  constructor(parts: LostParts, load: LoadText) {
    this.#parts = parts;
    this.#load = load;
    // An earlier host asked this.
    if (this.#asked !== undefined) parts.inbox.hold(CODE);
  }

  /** A person has not decided yet: the running CLI does not know the conversation. */
  get isUndecided(): boolean {
    return this.#undecided !== undefined;
  }

  /** The conversation of the next CLI lacks something, and a notice has said what. */
  get isIncomplete(): boolean {
    return this.#isIncomplete || this.isUndecided;
  }

  get #asked(): string | undefined {
    const notices = [...this.#parts.recorder.state.notices.values()];
    return notices.find(({ code }) => code === CODE)?.request_id;
  }

  /** Await this while no CLI runs. */
  async look(): Promise<void> {
    this.#isIncomplete = false;
    const path = this.#path();
    const transcript = path === undefined ? undefined : readTranscript(path);
    const isWhole = this.#isWhole(transcript) && (await this.#endsAlike(transcript));
    if (this.#asked === undefined && isWhole) return;
    await this.#compare(transcript);
  }

  isAbout(requestId: string): boolean {
    return this.#asked === requestId;
  }

  /** A person has decided. Call this while no CLI runs. */
  resolve(allowed: boolean, by: string | undefined): void {
    const request_id = this.#asked;
    if (request_id === undefined) return;
    if (allowed && this.#undecided) this.#putBack(this.#undecided.turns);
    this.#settle(request_id, allowed ? "allowed" : "denied", by);
  }

  #path(): string | undefined {
    const { options } = this.#parts;
    return findTranscript(configDirOf(options.env), sessionIdOf(this.#parts));
  }

  /** Without reading the log: that happens only when something may be missing. */
  #isWhole(transcript: Transcript | undefined): boolean {
    const { acceptedIds, accepted, dropped, turn } = this.#parts.log.state;
    const isDue = (id: string): boolean => !dropped.has(id) && accepted.get(id)?.seen !== false;
    const due = [...acceptedIds].filter(isDue);
    if (!transcript) return due.length === 0;
    return (
      due.every((id) => transcript.messages.has(cliUuidOf(id))) &&
      (turn !== undefined || (transcript.answered && hasAllResults(transcript))) &&
      !transcript.hasFiller &&
      isUnbroken(readFileSync(transcript.path))
    );
  }

  /** The newest answer of the log is that of the transcript. A turn that no message began is seen only so. */
  async #endsAlike(transcript: Transcript | undefined): Promise<boolean> {
    const { log } = this.#parts;
    if (!transcript || log.state.turn !== undefined) return true;
    const last = await readNewestText(log, this.#load);
    return last === undefined || transcript.answer.includes(last);
  }

  async #compare(transcript: Transcript | undefined): Promise<void> {
    const { log } = this.#parts;
    const turns = await readConversation(log, sessionIdOf(this.#parts), this.#load);
    const isLost = ({ message }: LoggedMessage): boolean => !transcript?.messages.has(message.id);
    const lost = messagesIn(turns).filter(isLost);
    const gone = lost.filter(({ seen }) => seen);
    const about = `lost_${digestOf(gone)}`;
    if (gone.length === 0) {
      this.#settleOld();
      this.#putBack(turns);
      return;
    }
    if (this.#wasDenied(about)) {
      this.#putBack(turnsAfter(turns, gone));
      return;
    }
    switch (this.#parts.options.lostConversation ?? "ask") {
      case "restore":
        this.#settleOld();
        this.#putBack(turns);
        break;
      case "forget":
        this.#ask(about, turns, lost, transcript);
        this.resolve(false, "--lost-conversation");
        this.#isIncomplete = true;
        break;
      case "ask":
        this.#ask(about, turns, lost, transcript);
    }
  }

  #wasDenied(about: string): boolean {
    return [...this.#parts.log.state.resolved].some(
      ([id, { outcome }]) => id.startsWith(about) && outcome === "denied",
    );
  }

  /** A question of an earlier host about the same messages stays open. */
  #ask(
    about: string,
    turns: readonly LoggedTurn[],
    lost: readonly LoggedMessage[],
    transcript: Transcript | undefined,
  ): void {
    const { inbox, recorder, log } = this.#parts;
    if (this.#asked?.startsWith(about) === true) {
      this.#undecided = { requestId: this.#asked, turns };
      return;
    }
    this.#settleOld();
    const request_id = `${about}_${log.epoch}`;
    this.#undecided = { requestId: request_id, turns };
    inbox.hold(CODE);
    const all = messagesIn(turns).length;
    const what = transcript
      ? `lacks ${lost.length} of ${all} messages`
      : `is gone, and with it ${lost.length} messages`;
    recorder.record({
      type: "notice",
      code: CODE,
      message: `Claude Code's own file of this session ${what}, the first of them from ${lost[0]?.at ?? ""}. The model does not know them. New messages wait.`,
      hint: "Approve this request_id to restore the conversation from the session's log, or deny it to continue without it.",
      request_id,
      data: this.#named(lost.map(({ message }) => message.id)),
    });
  }

  /** Clients know messages by the ids that they chose. */
  #named(uuids: readonly string[]) {
    const { acceptedIds } = this.#parts.log.state;
    const named = new Map([...acceptedIds].map((id) => [cliUuidOf(id), id]));
    const messages = uuids.slice(0, MAX_NAMED).map((uuid) => named.get(uuid) ?? uuid);
    return { count: uuids.length, messages };
  }

  /** Supersedes the question of an earlier host: what it asked about has changed. */
  #settleOld(): void {
    if (this.#asked !== undefined) this.#settle(this.#asked, "superseded", undefined);
  }

  #settle(
    request_id: string,
    outcome: "allowed" | "denied" | "superseded",
    by: string | undefined,
  ): void {
    const { recorder, inbox } = this.#parts;
    this.#undecided = undefined;
    const who = by === undefined ? {} : { by };
    recorder.record({ type: "approval_resolved", request_id, outcome, ...who });
    inbox.release(CODE);
  }

  #putBack(turns: readonly LoggedTurn[]): void {
    const { options, recorder, watch, log } = this.#parts;
    const plan = planRestore(this.#path(), turns, {
      configDir: configDirOf(options.env),
      sessionId: sessionIdOf(this.#parts),
      cwd: options.cwd,
      model: log.state.model ?? "",
    });
    if (!plan) return;
    const { messages, others, gaps } = plan.mended;
    const lost = `${messages.length} messages and ${others} texts and calls of the model`;
    try {
      const copy = plan.write();
      watch.reopen();
      recorder.record({
        type: "notice",
        code: "transcript_mended",
        message: `Claude Code's own file of this session had lost ${lost}. They were restored from the session's log.${aboutGaps(gaps)}`,
        data: { ...this.#named(messages), ...(copy !== undefined && { copy }) },
      });
    } catch (error) {
      this.#isIncomplete = true;
      recorder.record({
        type: "notice",
        code: CODE,
        message: `Claude Code's own file of this session lacks ${lost}, and they could not be restored: ${describeFileError(error)}.`,
        hint: "Make sure that Claude Code's file of the session can be written, and start the session again.",
        data: this.#named(messages),
      });
    }
  }
}

/** Rows of the CLI that have no counterpart in our log. */
const aboutGaps = (gaps: number): string =>
  gaps === 0
    ? ""
    : ` In ${gaps} places it had lost something that the log does not have, such as the model's thinking.`;

/** A call that has no result may have lost it. */
const hasAllResults = ({ calls, results }: Transcript): boolean =>
  calls.every(({ request_id }) => results.has(request_id));

/** The turns after the newest message that is to be forgotten. */
function turnsAfter(
  turns: readonly LoggedTurn[],
  forgotten: readonly LoggedMessage[],
): readonly LoggedTurn[] {
  const isForgotten = ({ items }: LoggedTurn): boolean =>
    items.some((item) => item.kind === "message" && forgotten.includes(item));
  return turns.slice(turns.findLastIndex(isForgotten) + 1);
}

/** The same for the same messages in every host. */
const digestOf = (messages: readonly LoggedMessage[]): string =>
  createHash("sha256")
    .update(messages.map(({ message }) => message.id).join(" "))
    .digest("hex")
    .slice(0, 16);
