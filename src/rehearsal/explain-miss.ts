import { unmetConditions } from "./match-conditions.ts";
import type { Play } from "./play-script.ts";
import type { RequestView } from "./request-view.ts";
import type { Script } from "./script-schema.ts";
import { cutText } from "../text/cut-text.ts";

const closestShown = 3;
const quotedChars = 200;

/** Why nothing in the script matched: the request, and the rules that came closest. */
export function explainMiss(play: Play, view: RequestView): string {
  return [
    "no_rule_matched: nothing in the rehearsal's script fits this request.",
    ...factsOf(view, play.turnOf(view)),
    ...(typeof play.script === "function"
      ? ["  The script is a function, and it returned undefined."]
      : closestRules(play, play.script, view)),
  ].join("\n");
}

function factsOf(view: RequestView, turn: number): string[] {
  const results = view.newToolResults.map(
    ({ name, text, is_error }) => `${name}${is_error ? " (error)" : ""} ${quote(text)}`,
  );
  const facts: [name: string, values: string[]][] = [
    ["agent", [view.agent ?? "none, because the base URL has no /agents/<name>"]],
    ["turn", [String(turn)]],
    ["model", [view.model]],
    ["new from the user", view.newUserTexts.map(quote)],
    [
      "earlier from the user",
      view.newUserTexts.length === 0 && view.user ? [quote(view.user)] : [],
    ],
    ["new from peers", view.newPeerTexts.map(quote)],
    ["new tool results", results],
  ];
  return facts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `  ${name}: ${values.join(", ")}`);
}

function closestRules(play: Play, { rules }: Script, view: RequestView): string[] {
  const closest = rules
    .map((rule, index) => ({
      number: index + 1,
      reasons: [
        ...(play.isUsedUp(rule) ? [`used up (times: ${rule.times})`] : []),
        ...unmetConditions(rule.when, view, play.turnOf(view)).map((text) => `not ${text}`),
      ],
    }))
    .sort((one, other) => one.reasons.length - other.reasons.length)
    .slice(0, closestShown);
  if (closest.length === 0) return ["  The script has no rules."];
  return [
    "  closest rules:",
    ...closest.map(({ number, reasons }) => `    rule ${number}: ${reasons.join(", ")}`),
  ];
}

function quote(text: string): string {
  return JSON.stringify(cutText(text, quotedChars));
}
