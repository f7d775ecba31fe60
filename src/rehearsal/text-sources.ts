/** A piece of a request's text, and where it comes from. */
export interface TextSource {
  by: "user" | "peer" | "cli";
  text: string;
}

/** How the CLI marks text that is not the user's, and what it folds into a running turn. */
const peerMark = "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]";
const eitherMark =
  /^(?:(?<peer>\[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT\])|The user sent a new message while you were working:)\s/gm;
const midTurnAdvice = /\n+This is how Claude Code surfaces messages the user sends mid-turn[\s\S]*/;
const crossSession = /<cross-session-message\b[^>]*>(?<text>[\s\S]*?)<\/cross-session-message>/;
const reminder = /<system-reminder>(?<text>[\s\S]*?)<\/system-reminder>/g;
/** What the CLI writes in place of the user's text. */
const standIn =
  /^(?:\[Request interrupted by user|This session is being continued from a previous conversation)/;

/** Splits one text block of a `user` or `system` message. */
export function textSourcesIn(text: string, role: string): TextSource[] {
  const reminders = [...text.matchAll(reminder)].map((found) => found.groups?.["text"] ?? "");
  const rest = text.replaceAll(reminder, "").trim();
  return [
    ...reminders.map((words): TextSource => ({ by: "cli", text: words.trim() })),
    ...(role === "system" ? splitMidTurn(rest) : [attribute(rest)]),
  ].filter((voice) => voice.text !== "");
}

function attribute(text: string): TextSource {
  const other = crossSession.exec(text)?.groups?.["text"];
  if (other !== undefined) return { by: "peer", text: other.trim() };
  if (text.startsWith(peerMark)) return { by: "peer", text: text.slice(peerMark.length).trim() };
  return { by: standIn.test(text) ? "cli" : "user", text };
}

/** One system entry may carry several messages, after a text of the CLI's own. */
function splitMidTurn(text: string): TextSource[] {
  const marks = [...text.matchAll(eitherMark)];
  const messages = marks.map((mark, index): TextSource => {
    const said = text.slice(mark.index + mark[0].length, marks[index + 1]?.index);
    return mark.groups?.["peer"] === undefined
      ? { by: "user", text: said.replace(midTurnAdvice, "").trim() }
      : { by: "peer", text: said.trim() };
  });
  return [{ by: "cli", text: text.slice(0, marks[0]?.index).trim() }, ...messages];
}
