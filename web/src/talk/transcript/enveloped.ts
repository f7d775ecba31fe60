/** What another agent wrote, out of the words that the team puts around it for the model. */
export interface Enveloped {
  readonly content: string;
  /** The rest, as the model reads it. */
  readonly envelope: string;
}

/**
 * Undefined when the text is no such message. The mark around the content is random, so that the content cannot end itself
 * early.
 */
export function enveloped(text: string): Enveloped | undefined {
  const begin = /^----- ([0-9a-f]{16,}) -----\n/m.exec(text);
  if (!begin) return undefined;
  const [line, mark] = begin;
  const from = begin.index + line.length;
  const to = text.lastIndexOf(`\n----- ${mark} -----`);
  if (to < from) return undefined;
  return {
    content: text.slice(from, to),
    envelope: `${text.slice(0, from)}…${text.slice(to)}`,
  };
}
