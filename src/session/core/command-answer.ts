import type { SessionAnswer } from "../../wire/session/answers.ts";

/** What a command answers if a plain `ok` does not say enough. The server adds the `ref`. */
export type CommandAnswer = WithoutRef<SessionAnswer>;
type WithoutRef<Answer> = Answer extends unknown ? Omit<Answer, "ref" | "seq"> : never;
