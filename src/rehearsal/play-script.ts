import { randomUUID } from "node:crypto";
import type { ScriptedAnswer, AnswerInput, Delay } from "./answer-schema.ts";
import { AnswerSchema } from "./answer-schema.ts";
import type { IdSource } from "./answer-events.ts";
import { matchConditions } from "./match-conditions.ts";
import type { Facts } from "./placeholders.ts";
import { fillAnswer } from "./placeholders.ts";
import { seededRandom } from "./seeded-random.ts";
import type { RequestView } from "./request-view.ts";
import { invalidFile } from "../yaml/file-issue.ts";
import { schemaIssues } from "../yaml/schema-issues.ts";
import type { Rule, Script } from "./script-schema.ts";
import { sideAnswer } from "./answer-side-calls.ts";

/** What a function script gets beside the request, and may store. */
export interface PlayState {
  /** 1 for the first answer of this conversation. Failed or broken-off answers do not count. */
  turn: number;
  /** The function's own memory, for the whole run. */
  memory: Map<string, unknown>;
}

/**
 * A script in code. It is called for conversations only, not for the CLI's own requests. `undefined` means no match:
 * the request fails with `no_rule_matched`.
 */
export type ScriptFunction = (
  request: RequestView,
  state: PlayState,
) => AnswerInput | undefined | Promise<AnswerInput | undefined>;

/** Which part of a script answered: a rule by its number, counted from 1, or something without one. */
export type RuleName = number | "default" | "function" | "built-in";

export interface ScriptedChoice {
  rule: RuleName;
  answer: ScriptedAnswer;
}

/** One run of a script: which rules are used up, the turn of each conversation, and the random state. */
export class Play implements IdSource {
  readonly script: Script | ScriptFunction;
  readonly #uses = new Map<Rule, number>();
  readonly #answered = new Map<string, number>();
  readonly #memory = new Map<string, unknown>();
  readonly #random: () => number;
  readonly #idMark: string;
  #ids = 0;

  constructor(script: Script | ScriptFunction) {
    this.script = script;
    const seed = typeof script === "function" ? undefined : script.seed;
    this.#random = seed === undefined ? Math.random : seededRandom(seed);
    this.#idMark = seed === undefined ? randomUUID().slice(0, 8) : `seed${seed}`;
  }

  nextId(prefix: "msg" | "toolu"): string {
    this.#ids += 1;
    return `${prefix}_rehearsal_${this.#idMark}_${String(this.#ids).padStart(4, "0")}`;
  }

  turnOf(view: RequestView): number {
    return (this.#answered.get(conversationOf(view)) ?? 0) + 1;
  }

  /** The answer was sent completely, so the conversation is one turn further. */
  advance(view: RequestView): void {
    if (!view.side) this.#answered.set(conversationOf(view), this.turnOf(view));
  }

  /**
   * The answer of the first matching rule, with its groups filled in; it counts as one of the rule's `times`. Rejects
   * with what a function script throws, or when its answer is invalid.
   */
  async choose(view: RequestView): Promise<ScriptedChoice | undefined> {
    const choice = await (typeof this.script === "function"
      ? this.#ask(this.script, view)
      : this.#search(this.script, view));
    if (choice || !view.side) return choice;
    return { rule: "built-in", answer: sideAnswer(view.side, view.body) };
  }

  isUsedUp(rule: Rule): boolean {
    return (this.#uses.get(rule) ?? 0) >= (rule.times ?? Infinity);
  }

  /** A delay in milliseconds, drawn from a range each time. */
  draw(delay: Delay | undefined): number {
    if (!Array.isArray(delay)) return delay ?? 0;
    const [least, most] = delay;
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  async #ask(script: ScriptFunction, view: RequestView): Promise<ScriptedChoice | undefined> {
    if (view.side) return undefined;
    const answer = await script(view, { turn: this.turnOf(view), memory: this.#memory });
    if (answer === undefined) return undefined;
    const parsed = AnswerSchema.safeParse(answer);
    if (parsed.success) return { rule: "function", answer: parsed.data };
    throw invalidFile(
      "script_invalid",
      "answer",
      schemaIssues(parsed.error, () => undefined),
    );
  }

  #search(script: Script, view: RequestView): ScriptedChoice | undefined {
    const turn = this.turnOf(view);
    const facts = factsOf(view, turn);
    for (const [index, rule] of script.rules.entries()) {
      const captures = this.isUsedUp(rule) ? undefined : matchConditions(rule.when, view, turn);
      if (!captures) continue;
      this.#uses.set(rule, (this.#uses.get(rule) ?? 0) + 1);
      const { when: _when, times: _times, ...answer } = rule;
      return { rule: index + 1, answer: withPace(script, fillAnswer(answer, captures, facts)) };
    }
    if (!script.default || view.side) return undefined;
    const answer = fillAnswer(script.default, { numbered: [], named: {} }, facts);
    return { rule: "default", answer: withPace(script, answer) };
  }
}

/** The script's pace applies where an answer does not set its own. */
function withPace({ delay_ms, delta_delay_ms }: Script, answer: ScriptedAnswer): ScriptedAnswer {
  return {
    ...(delay_ms !== undefined && { delay_ms }),
    ...(delta_delay_ms !== undefined && { delta_delay_ms }),
    ...answer,
  };
}

function factsOf(view: RequestView, turn: number): Facts {
  return {
    agent: view.agent ?? "",
    model: view.model,
    session: view.session ?? "",
    user: view.user ?? "",
    peer: view.newPeerTexts.at(-1) ?? "",
    tool_result: view.newToolResults.at(-1)?.text ?? "",
    turn: String(turn),
  };
}

function conversationOf({ agent, session, subagent }: RequestView): string {
  return JSON.stringify([agent, session, subagent]);
}
