import type { JournalRequest } from "../../src/rehearsal/journal.ts";

/** What a test appends to the system prompt, to see that every request has it. */
export const persona = "PERSONA-OF-THIS-TEST: you review. Never push.";

/** A sub-agent has a prompt of its own, and so has what the CLI asks for itself. */
export const isOfMainAgent = ({
  kind,
  subagent_id,
}: Pick<JournalRequest, "kind" | "subagent_id">): boolean =>
  kind === "main" && subagent_id === null;

/** A verdict on requests of main agents: those whose system prompt lacks the words that it should have. */
export const judgePersona = (
  requests: readonly Pick<JournalRequest, "id" | "agent" | "system">[],
  wordsFor: (agent: string | null) => string = () => persona,
): string[] =>
  requests
    .filter(({ agent, system }) => !system.includes(wordsFor(agent)))
    .map(({ id, agent }) => `request ${id} of ${agent ?? "the session"} lacks the persona`);
