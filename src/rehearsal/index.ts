export type { ScriptedAnswer, AnswerInput, ScriptedFault } from "./answer-schema.ts";
export type { RehearsalStatus } from "./rehearsal-client.ts";
export { RehearsalClient } from "./rehearsal-client.ts";
export { rehearsalEnvironment } from "./rehearsal-environment.ts";
export type {
  Journal,
  JournalEntry,
  JournalEvent,
  JournalRequest,
  RequestOutcome,
} from "./journal.ts";
export { journalLine } from "./journal.ts";
export { loadScript, parseScript } from "./load-script.ts";
export type { PlayState, ScriptFunction } from "./play-script.ts";
export { readJournalFile } from "./read-journal.ts";
export type { RequestView, SeenToolResult } from "./request-view.ts";
export type { Script, ScriptInput } from "./script-schema.ts";
export type { Rehearsal, RehearsalOptions } from "./start-rehearsal.ts";
export { startRehearsal } from "./start-rehearsal.ts";
