import type { Captures } from "./text-pattern.ts";
import { matchPattern } from "./text-pattern.ts";
import type { RequestView, SeenToolResult } from "./request-view.ts";
import type { Condition } from "./script-schema.ts";

/** The captured groups when every condition holds for this request; otherwise undefined. */
export function matchConditions(
  when: Condition,
  view: RequestView,
  turn: number,
): Captures | undefined {
  const found = evaluate(when, view, turn).map(([, captures]) => captures);
  return found.every((captures) => captures !== undefined) ? together(found) : undefined;
}

/** The conditions that this request does not meet, as `name: value`, for people. */
export function unmetConditions(when: Condition, view: RequestView, turn: number): string[] {
  return evaluate(when, view, turn)
    .filter(([, captures]) => captures === undefined)
    .map(([name]) => `${name}: ${JSON.stringify(when[name])}`);
}

type Verdict = [name: keyof Condition, captures: Captures | undefined];

const nothing: Captures = { numbered: [], named: {} };

/** In the order of `patternsOf`, which numbers the groups. */
function evaluate(when: Condition, view: RequestView, turn: number): Verdict[] {
  const verdicts: Verdict[] = [
    ["kind", (when.kind ?? "main") === (view.side ? "side" : "main") ? nothing : undefined],
  ];
  const check = (name: keyof Condition, verdict: () => Captures | undefined): void => {
    if (when[name] !== undefined) verdicts.push([name, verdict()]);
  };
  check("turn", () => (when.turn === turn ? nothing : undefined));
  check("agent", () => matchAny(when.agent, [view.agent ?? ""], "equal"));
  check("model", () => matchAny(when.model, [view.model], "contained"));
  check("system", () => matchAny(when.system, [view.system], "contained"));
  check("reminder", () => matchAny(when.reminder, view.newReminders, "contained"));
  check("user", () => matchAny(when.user, userTexts(when, view), "contained"));
  check("peer", () => matchAny(when.peer, view.newPeerTexts, "contained"));
  check("tool_result", () => matchResults(when.tool_result, view.newToolResults));
  return verdicts;
}

/**
 * A rule on the user's text alone requires new text, so that it does not fire again when its own tool call returns.
 * Beside a tool result or a peer's message the user's text says what the conversation is about.
 */
function userTexts({ tool_result, peer, reminder }: Condition, view: RequestView): string[] {
  const isBackground = (tool_result ?? peer ?? reminder) !== undefined;
  return isBackground && view.user !== undefined ? [view.user] : view.newUserTexts;
}

/** The newest matching text decides what is captured. */
function matchAny(
  pattern: string | undefined,
  texts: string[],
  plainWords: "contained" | "equal",
): Captures | undefined {
  if (pattern === undefined) return nothing;
  return newest(texts, (text) => matchPattern(pattern, text, plainWords));
}

function matchResults(
  wanted: Condition["tool_result"],
  results: SeenToolResult[],
): Captures | undefined {
  return newest(results, ({ name, text, is_error }) => {
    const byName = matchAny(wanted?.name, [name], "equal");
    const byText = matchAny(wanted?.text, [text], "contained");
    const byError = (wanted?.is_error ?? is_error) === is_error;
    return byName && byText && byError ? together([byName, byText]) : undefined;
  });
}

function newest<Item>(
  items: Item[],
  match: (item: Item) => Captures | undefined,
): Captures | undefined {
  for (const item of items.toReversed()) {
    const captures = match(item);
    if (captures) return captures;
  }
  return undefined;
}

function together(all: Captures[]): Captures {
  return {
    numbered: all.flatMap(({ numbered }) => numbered),
    named: Object.assign({}, ...all.map(({ named }) => named)) as Record<string, string>,
  };
}
