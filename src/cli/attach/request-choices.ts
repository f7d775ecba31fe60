import type { ApproveOptions, DenyOptions } from "../../client/core.ts";
import { errorOf } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { PendingRequest, Question } from "../../wire/session/approval-events.ts";
import type { Answers } from "../../wire/session/shared-schemas.ts";
import { brief, cleanText } from "./clean-text.ts";
import type { ElicitationReply } from "./elicitation-form.ts";
import { callLine } from "./tool-call-lines.ts";
import type { Paint } from "./terminal-formats.ts";

/** What a person decided about a request. */
export type RequestDecision =
  | { readonly type: "approve"; readonly options: ApproveOptions }
  | { readonly type: "deny"; readonly options: DenyOptions }
  | { readonly type: "answer"; readonly answers: Answers }
  | ElicitationReply;

export interface RequestChoice {
  readonly key: string;
  readonly label: string;
  /**
   * "reason": the person states a reason, and the request is denied. "change": the person edits the call and allows
   * the result. "fill": the person fills in a form.
   */
  readonly decision: RequestDecision | "reason" | "change" | "fill";
}

const scopeKeys = { once: "y", session: "s", always: "a" } as const;

/** The keys that answer a request. A question has none: a line answers it. */
export function choicesOf(request: PendingRequest): RequestChoice[] {
  const no: RequestChoice = { key: "n", label: "no", decision: { type: "deny", options: {} } };
  const why: RequestChoice = { key: "e", label: "no, and say why", decision: "reason" };
  switch (request.type) {
    case "question":
      return [];
    case "elicitation": {
      const accept = { type: "respond", action: "accept" } as const;
      const isForm = request.mode === "form";
      return [
        isForm
          ? { key: "y", label: "fill in the form", decision: "fill" }
          : { key: "y", label: "I have opened the page", decision: accept },
        { ...no, label: "decline" },
        { key: "c", label: "cancel", decision: { ...accept, action: "cancel" } },
      ];
    }
    case "notice":
      return [
        { key: "y", label: "yes, go on", decision: { type: "approve", options: {} } },
        { ...no, label: "no, drop what waits" },
      ];
    case "plan":
      return [
        { key: "y", label: "yes", decision: { type: "approve", options: { mode: "default" } } },
        {
          key: "a",
          label: "yes, and accept edits",
          decision: { type: "approve", options: { mode: "acceptEdits" } },
        },
        { ...no, label: "keep planning" },
        { ...why, label: "say what to change" },
      ];
    default: {
      const yes = request.scopes.map(({ scope, label }): RequestChoice => ({
        key: scopeKeys[scope],
        label: cleanText(label).replaceAll("\n", " "),
        decision: { type: "approve", options: { scope } },
      }));
      const change: RequestChoice[] =
        editableOf(request) === undefined
          ? []
          : [{ key: "c", label: "change it first", decision: "change" }];
      const allow = [...yes, ...change];
      return request.default_to_no ? [no, why, ...allow] : [...allow, no, why];
    }
  }
}

/** The question that the keys answer. */
export function headOf(request: PendingRequest, columns: number): string {
  switch (request.type) {
    case "question":
      return "The model asks";
    case "plan":
      return "Go on with this plan?";
    case "notice":
      return brief(request.message, columns);
    case "elicitation":
      return brief(`${request.server} asks: ${request.message}`, columns);
    default:
      return request.title === undefined
        ? `Allow ${callLine(request.tool, request.input, columns - 10)}?`
        : brief(request.title, columns);
  }
}

/** What a person may edit of a call, as a text: its command, or its whole input as JSON. */
export interface Editable {
  readonly text: string;
  /** The input for the text; undefined when the text is invalid. */
  readonly read: (text: string) => JsonObject | undefined;
}

/** Undefined when the input is incomplete here, or when a terminal would not show it as it is. */
export function editableOf(request: PendingRequest): Editable | undefined {
  if (request.type !== "approval_request") return undefined;
  const { input } = request;
  const { command } = input;
  if (Object.values(input).some((value) => isRecord(value) && "blob" in value)) return undefined;
  if (typeof command === "string" && isShown(command)) {
    const read = (text: string) => (text.trim() === "" ? undefined : { ...input, command: text });
    return { text: command, read };
  }
  const json = JSON.stringify(input);
  return isShown(json) ? { text: json, read: objectIn } : undefined;
}

const isShown = (text: string): boolean => cleanText(text) === text;

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** A question with its choices, for a person. `many`: which of several it is. */
export function questionRows(question: Question, paint: Paint, many = ""): string[] {
  const options = question.options.map(({ label, description }, index) => {
    const more = description === undefined ? "" : paint("dim", `  ${brief(description, 80)}`);
    return `  ${index + 1}  ${brief(label, 60)}${more}`;
  });
  const how = question.multi
    ? "Numbers, as in 1,3, or your own words"
    : "A number, or your own words";
  return [paint("bold", cleanText(question.question) + many), ...options, paint("dim", how)];
}

/** Several questions, one after the other, each answered with a line. */
export class QuestionForm {
  readonly #questions: readonly Question[];
  readonly #answers: Record<string, string | string[]> = {};
  #at = 0;

  constructor(questions: readonly Question[]) {
    this.#questions = questions;
  }

  rows(paint: Paint): string[] {
    const question = this.#questions[this.#at];
    if (!question) return [];
    const many =
      this.#questions.length > 1 ? ` (${this.#at + 1} of ${this.#questions.length})` : "";
    return questionRows(question, paint, many);
  }

  /**
   * Takes the answer to the current question; returns all answers after the last one.
   *
   * @throws `invalid_params` when a number is not one of the choices; the question stays open then.
   */
  answer(line: string): Answers | undefined {
    const question = this.#questions[this.#at];
    if (!question || line.trim() === "") return undefined;
    this.#answers[question.question] = chosen(question, line.trim());
    this.#at += 1;
    return this.#at === this.#questions.length ? this.#answers : undefined;
  }
}

/**
 * The answers that a person wrote at once, one for each question.
 *
 * @throws `invalid_params` when they do not match the questions.
 */
export function answersIn(lines: readonly string[], questions: readonly Question[]): Answers {
  const form = new QuestionForm(questions);
  const answers = lines.map((line) => form.answer(line)).at(-1);
  if (answers && lines.length === questions.length) return answers;
  const asked = questions.map(({ question }) => question).join(" ");
  const wanted = questions.length === 1 ? "An answer is" : `${questions.length} answers are`;
  throw errorOf("invalid_params", `${wanted} wanted: ${asked}`, {
    hint: "Give one answer for each question, in their order.",
  });
}

function chosen({ options, multi }: Question, line: string): string | string[] {
  const words = multi ? line.split(/[\s,]+/) : [line];
  // Anything but numbers of choices is the person's own text.
  if (options.length === 0 || !words.every((word) => /^\d+$/.test(word))) return line;
  const labels = words.map((word) => {
    const label = options[Number(word) - 1]?.label;
    if (label !== undefined) return label;
    throw errorOf("invalid_params", `${word} is not one of the choices.`, {
      hint: `Give a number from 1 to ${options.length}, or words.`,
    });
  });
  return multi ? labels : (labels[0] ?? line);
}
