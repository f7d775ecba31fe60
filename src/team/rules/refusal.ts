import type { ClaudeCodeError } from "../../wire/errors.ts";

/** What a rule says: nothing, or the typed error that the sender gets. */
export type Refusal = ClaudeCodeError | undefined;
