// A door of the engine: how a session goes on after a crash, and Claude Code's own file of the conversation: reading it,
// following it, and restoring what it lost.
export { earlierMessages } from "./earlier-messages.ts";
export { forkPoint } from "./fork-point.ts";
export { messagesIn } from "./mend/logged-turns.ts";
export type { LoggedCall, LoggedItem, LoggedMessage, LoggedTurn } from "./mend/logged-turns.ts";
export { isUnbroken, mendTranscript, newTranscriptPath } from "./mend/mend-transcript.ts";
export type { MendedTranscript } from "./mend/mend-transcript.ts";
export type { OpenCall } from "./open-call.ts";
export type { RecoveryPath, RecoveryPlan } from "./plan-recovery.ts";
export { configDirOf, recover } from "./recover.ts";
export type { Beginning } from "./recover.ts";
export { costBefore, costSince } from "./transcript-cost.ts";
export type { TranscriptCost } from "./transcript-cost.ts";
export { TranscriptTail } from "./follow-transcript.ts";
export { findTranscript, messagesOf, readTranscript } from "./transcript.ts";
export type { Row, Transcript } from "./transcript.ts";
