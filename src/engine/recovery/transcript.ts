import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import { callsNamedIn } from "./resume-text.ts";

/** A tool call in the CLI's transcript. */
export interface RecordedCall {
  request_id: string;
  tool: string;
  input: JsonObject;
  /** The answer that contains the call; calls made together share it. */
  answerId: string;
  /** The row that holds the call. */
  row: Row;
}

/** The fields of a row that matter here; the CLI writes many more. */
export interface Row {
  type: string;
  /** Of a `system` row; `compact_boundary` stands where a summary begins. */
  subtype?: string;
  compactMetadata?: { trigger?: string };
  uuid?: string;
  /** The previous row of the conversation. */
  parentUuid?: string | null;
  /** The previous row of the first row after a compaction, which has no `parentUuid`. */
  logicalParentUuid?: string | null;
  isSidechain?: boolean;
  /** Not a person's text: the CLI's own, or a relayed message. */
  isMeta?: boolean;
  /** The summary that takes the place of the conversation before it. */
  isCompactSummary?: boolean;
  sessionId?: string;
  cwd?: string;
  version?: string;
  gitBranch?: string;
  entrypoint?: string;
  userType?: string;
  message?: { id?: string; model?: string; content?: unknown; stop_reason?: string | null };
  attachment?: { type: string; source_uuid?: string; toolUseID?: string };
  /** Other messages that the CLI merged with this one into one prompt. */
  mergedSendUuids?: string[];
  /** Who wrote the text of a `user` row: `sdk` for what came over the CLI's input. */
  promptSource?: string;
  /** The origin of a `user` row that no person wrote. */
  origin?: { kind?: string };
  /** In the row that a CLI leaves when it ends cleanly. */
  totalCostUSD?: number;
  modelUsage?: unknown;
}

/** A record of a deferred call. */
export interface ParkedCall {
  request_id: string;
  /** The position of the record's line in the file, and its bytes. */
  offset: number;
  line: Buffer;
}

/**
 * What the CLI has written of a session. The file, not the CLI's echo, proves that a message is part of the
 * conversation: the echo comes before the row is on disk.
 */
export interface Transcript {
  path: string;
  /** Ids of the messages in it, whether they began a turn or joined one. */
  messages: Set<string>;
  /**
   * The calls that are still part of the conversation. A resumed turn begins before the calls in which it was cut;
   * those stay in the file but belong to no conversation.
   */
  calls: RecordedCall[];
  /** Ids of the conversation's calls that have a result. */
  results: Set<string>;
  /** Ids of the calls that the model was told about after a crash. */
  told: Set<string>;
  /** Where the CLI will ask again about a call: see `parkCall`. */
  parked: ParkedCall[];
  /** The last text is the model's, and either it was finished or a person stopped it. */
  answered: boolean;
  /** The texts of the model's last answer; none when something else came after it. */
  answer: string[];
  /** The last text is not a person's. The CLI does not take that for a cut turn. */
  endsHidden: boolean;
  /** The last text is a person's message. The CLI resumes it as it is, and adds no text of ours. */
  endsAsking: boolean;
  /** Words of the CLI stand where the model's were missing when a CLI took the session up. */
  hasFiller: boolean;
  /** The session's cost when a CLI last ended cleanly; the next one continues from there. */
  costUsd: number;
}

/** The transcript of a session: found by its id, because a session may be resumed from another directory. */
export function findTranscript(configDir: string, sessionId: string): string | undefined {
  const projects = join(configDir, "projects");
  if (!existsSync(projects)) return undefined;
  return readdirSync(projects)
    .map((project) => join(projects, project, `${sessionId}.jsonl`))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

/** What an empty file says. */
export const emptyTranscript = (path: string): Transcript => ({
  path,
  messages: new Set(),
  calls: [],
  results: new Set(),
  told: new Set(),
  parked: [],
  answered: false,
  answer: [],
  endsHidden: false,
  endsAsking: false,
  hasFiller: false,
  costUsd: 0,
});

export function readTranscript(path: string): Transcript {
  const transcript = emptyTranscript(path);
  const parents = new Map<string, string | null | undefined>();
  const speech: Speech = { id: undefined, texts: [] };
  const hidden: Row[] = [];
  let last: string | undefined;
  const bytes = readFileSync(path);
  for (const line of linesOf(bytes)) {
    const row = parseRow(line);
    if (!row || row.isSidechain === true) continue;
    addRow(row, transcript);
    listen(row, speech);
    if (row.attachment?.type === "hook_deferred_tool" && row.attachment.toolUseID !== undefined) {
      const offset = line.byteOffset - bytes.byteOffset;
      transcript.parked.push({ request_id: row.attachment.toolUseID, offset, line });
    }
    if (row.uuid === undefined) continue;
    if (row.type === "user" && row.isMeta === true) hidden.push(row);
    parents.set(row.uuid, row.parentUuid ?? row.logicalParentUuid);
    last = row.uuid;
  }
  transcript.answer = speech.texts;
  const branch = branchOf(last, parents);
  transcript.calls = onBranch(transcript.calls, branch);
  const held = new Set(transcript.calls.map(({ request_id }) => request_id));
  transcript.results = new Set([...transcript.results].filter((id) => held.has(id)));
  const words = hidden.filter(({ uuid = "" }) => branch.has(uuid)).map(textOf);
  transcript.told = new Set(words.flatMap(callsNamedIn));
  return transcript;
}

/** Works on bytes, because a long transcript may exceed the maximum length of a string. */
export function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf("\n", start);
    const end = newline === -1 ? bytes.length : newline;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

/** The rows that lead to the last one. */
function branchOf(
  last: string | undefined,
  parents: ReadonlyMap<string, string | null | undefined>,
): Set<string> {
  const branch = new Set<string>();
  for (let at: string | null | undefined = last; at && !branch.has(at); at = parents.get(at)) {
    branch.add(at);
  }
  return branch;
}

/** The branch goes through one of the calls that were made together; all of them are part of it. */
function onBranch(calls: RecordedCall[], branch: ReadonlySet<string>): RecordedCall[] {
  const isOnBranch = ({ row }: RecordedCall) => row.uuid !== undefined && branch.has(row.uuid);
  const answers = new Set(calls.filter(isOnBranch).map(({ answerId }) => answerId));
  return calls.filter(({ answerId }) => answers.has(answerId));
}

/** Ids of the pushed messages that this row adds to the conversation. */
export function messagesOf({
  type,
  uuid,
  isSidechain,
  mergedSendUuids,
  attachment,
}: Row): string[] {
  if (isSidechain === true) return [];
  if (type === "user" && uuid !== undefined) return [...(mergedSendUuids ?? []), uuid];
  const { source_uuid } = attachment?.type === "queued_command" ? attachment : {};
  return source_uuid === undefined ? [] : [source_uuid];
}

/** Whether a row is a message that begins a turn, and not a result, a mark or the CLI's own words. */
export const isPrompt = (row: Row): boolean =>
  row.type === "user" &&
  row.uuid !== undefined &&
  row.isMeta !== true &&
  row.isCompactSummary !== true &&
  !hasResult(row) &&
  !wasInterrupted(row);

/** A line that a killed CLI left incomplete is not a row; the CLI skips it as well. */
export function parseRow(line: Buffer): Row | null {
  try {
    return JSON.parse(line.toString()) as Row | null;
  } catch {
    return null;
  }
}

/** An answer of the model; each of its blocks has a row of its own. */
interface Speech {
  id: string | undefined;
  texts: string[];
}

function listen(row: Row, speech: Speech): void {
  const isQueued = row.attachment?.type === "queued_command";
  if (row.type !== "user" && row.type !== "assistant" && !isQueued) return;
  const { id, content } = (row.type === "assistant" && row.message) || {};
  if (id === undefined || id !== speech.id) speech.texts = [];
  speech.id = id;
  const blocks = Array.isArray(content) ? (content.filter(isRecord) as Block[]) : [];
  for (const { type, text } of blocks) {
    if (type === "text" && text !== undefined) speech.texts.push(text);
  }
}

interface Block {
  type?: string;
  text?: string;
  id?: string;
  name?: string;
  input?: JsonObject;
  tool_use_id?: string;
}

function addRow(row: Row, transcript: Transcript): void {
  for (const id of messagesOf(row)) transcript.messages.add(id);
  if (row.type === "attachment" && row.attachment?.type === "queued_command") {
    transcript.answered = false;
    return;
  }
  if (row.type === "cost-state") transcript.costUsd = row.totalCostUSD ?? 0;
  if (row.type !== "user" && row.type !== "assistant") return;
  if (row.message?.model === "<synthetic>" && textOf(row) === FILLER) transcript.hasFiller = true;
  transcript.endsHidden = row.isMeta === true;
  transcript.endsAsking = row.type === "user" && !row.isMeta && !hasResult(row);
  transcript.answered =
    row.type === "assistant" ? endsTurn(row.message?.stop_reason) : wasInterrupted(row);
  const content: unknown = row.message?.content;
  if (!Array.isArray(content)) return;
  for (const block of content.filter(isRecord) as Block[]) {
    if (block.type === "tool_use" && block.id !== undefined && block.name !== undefined) {
      transcript.calls.push({
        request_id: block.id,
        tool: block.name,
        input: block.input ?? {},
        answerId: row.message?.id ?? block.id,
        row,
      });
    } else if (block.type === "tool_result" && block.tool_use_id !== undefined) {
      transcript.results.add(block.tool_use_id);
    }
  }
}

/** What the CLI writes for the model where a conversation does not end with an answer. */
const FILLER = "No response requested.";

function hasResult({ message }: Row): boolean {
  const content: unknown = message?.content;
  return Array.isArray(content) && content.filter(isRecord).some(isResult);
}

const isResult = ({ type }: Record<string, unknown>): boolean => type === "tool_result";

/** The CLI's marks that a person stopped the turn, which is then not resumed. */
const interruptions = new Set([
  "[Request interrupted by user]",
  "[Request interrupted by user for tool use]",
]);

/** Compares the whole text: a person may write a text that begins with a mark. */
const wasInterrupted = (row: Row): boolean => interruptions.has(textOf(row));

/** The text of a row that contains nothing else. */
function textOf({ message }: Row): string {
  const content: unknown = message?.content;
  const text: unknown =
    Array.isArray(content) && content.length === 1 && isRecord(content[0])
      ? content[0]["text"]
      : content;
  return typeof text === "string" ? text : "";
}

/**
 * After any other reason the CLI continues by itself: it runs the tools, or requests the rest of an answer that was
 * too long, paused or refused. An answer without a reason was cut.
 */
const endsTurn = (stopReason: string | null | undefined): boolean =>
  stopReason === "end_turn" || stopReason === "stop_sequence";
