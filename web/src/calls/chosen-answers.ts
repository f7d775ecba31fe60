import type { Answers, Question } from "agent-switchboard/wire";

/** What a person has chosen of one question. */
export interface Chosen {
  readonly labels: readonly string[];
  /** In their own words. */
  readonly own: string;
}

/** A map: a question may be called as what every object has. */
export type ChosenByQuestion = ReadonlyMap<string, Chosen>;

/** The first question without an answer. */
export const unanswered = (
  questions: readonly Question[],
  chosen: ChosenByQuestion,
): string | undefined =>
  questions.find(({ question }) => valuesOf(chosen.get(question)).length === 0)?.question;

export const answersOf = (questions: readonly Question[], chosen: ChosenByQuestion): Answers =>
  Object.fromEntries(
    questions.map(({ question, multi }) => {
      const values = valuesOf(chosen.get(question));
      return [question, multi ? values : (values[0] ?? "")];
    }),
  );

function valuesOf(chosen: Chosen | undefined): string[] {
  if (chosen === undefined) return [];
  const own = chosen.own.trim();
  return own === "" ? [...chosen.labels] : [...chosen.labels, own];
}
