/** Who a piece of a request's text comes from. */
export interface Voice {
  by: "user" | "peer" | "cli";
  text: string;
}

/** How the CLI marks what did not come from the user, and what it folds into a running turn. */
const peerMark = "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]";
const eitherMark =
  /^(?:(?<peer>\[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT\])|The user sent a new message while you were working:)\s/gm;
const midTurnAdvice = /\n+This is how Claude Code surfaces messages the user sends mid-turn[\s\S]*/;
const crossSession = /<cross-session-message\b[^>]*>(?<text>[\s\S]*?)<\/cross-session-message>/;
const reminder = /<system-reminder>(?<text>[\s\S]*?)<\/system-reminder>/g;
/** What the CLI writes in the user's place. */
const standIn =
  /^(?:\[Request interrupted by user|This session is being continued from a previous conversation)/;

/** Takes one text block of a `user` or `system` message apart. */
export function voicesIn(text: string, role: string): Voice[] {
  const reminders = [...text.matchAll(reminder)].map((found) => found.groups?.["text"] ?? "");
  const rest = text.replaceAll(reminder, "").trim();
  return [
    ...reminders.map((words): Voice => ({ by: "cli", text: words.trim() })),
    ...(role === "system" ? splitMidTurn(rest) : [attribute(rest)]),
  ].filter((voice) => voice.text !== "");
}

function attribute(text: string): Voice {
  const other = crossSession.exec(text)?.groups?.["text"];
  if (other !== undefined) return { by: "peer", text: other.trim() };
  if (text.startsWith(peerMark)) return { by: "peer", text: text.slice(peerMark.length).trim() };
  return { by: standIn.test(text) ? "cli" : "user", text };
}

/** One system entry may carry several messages one after the other, after words of the CLI's own. */
function splitMidTurn(text: string): Voice[] {
  const marks = [...text.matchAll(eitherMark)];
  const messages = marks.map((mark, index): Voice => {
    const said = text.slice(mark.index + mark[0].length, marks[index + 1]?.index);
    return mark.groups?.["peer"] === undefined
      ? { by: "user", text: said.replace(midTurnAdvice, "").trim() }
      : { by: "peer", text: said.trim() };
  });
  return [{ by: "cli", text: text.slice(0, marks[0]?.index).trim() }, ...messages];
}
