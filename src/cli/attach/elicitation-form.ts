import type { FormField } from "../../client/core.ts";
import { fieldValue, formFields } from "../../client/core.ts";
import { errorOf } from "../../wire/errors.ts";
import type { JsonObject, JsonValue } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { ElicitAction, Elicitation } from "../../wire/session/elicitation.ts";
import { brief, cleanText } from "./clean-text.ts";
import type { Paint } from "./terminal-formats.ts";

/** What an MCP server is told. */
export interface ElicitationReply {
  readonly type: "respond";
  readonly action: ElicitAction;
  readonly content?: JsonObject;
}

const PAGE_WARNING =
  "The MCP server gave this address. Open it yourself, and only if you trust the server.";

/** What the server wants. The address of a page is shown whole, and nothing opens it. */
export function elicitationRows(request: Elicitation, paint: Paint): string[] {
  const { server, message, url, description } = request;
  const asks = `? ${cleanText(server)} (MCP server) asks: ${cleanText(message)}`;
  return [
    ...asks.split("\n"),
    ...(description === undefined ? [] : [paint("dim", `  ${cleanText(description)}`)]),
    ...(url === undefined ? [] : [`  ${cleanText(url)}`, paint("yellow", `  ${PAGE_WARNING}`)]),
  ];
}

/** A field with its choices and its initial value, for a person. */
export function fieldRows(field: FormField, paint: Paint, many = ""): string[] {
  const { title, description, isRequired, options } = field;
  const more = description === undefined ? "" : paint("dim", `  ${brief(description, 80)}`);
  const head = `${paint("bold", brief(title, 60) + many)}${isRequired ? "" : " (optional)"}${more}`;
  const choices = options.map(({ value, label }, index) => {
    const own = value === label ? "" : paint("dim", `  ${brief(value, 60)}`);
    return `  ${index + 1}  ${brief(label, 60)}${own}`;
  });
  return [head, ...choices, paint("dim", howToFill(field))];
}

const howTo: Record<FormField["kind"], string> = {
  text: "A text",
  number: "A number",
  integer: "A whole number",
  boolean: "yes or no",
  choice: "A number of the list",
  choices: "Numbers of the list, as in 1,3",
  json: "JSON",
};

function howToFill({ kind, format, initial, isRequired }: FormField): string {
  const what = format === undefined ? howTo[kind] : `${howTo[kind]} (${format})`;
  if (initial !== undefined) return `${what}; Enter: ${brief(shown(initial), 60)}`;
  return isRequired ? what : `${what}; Enter: leave it out`;
}

const shown = (value: JsonValue): string => {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
};

/** The fields of a form, one after the other, each filled in with a line. */
export class ElicitationForm {
  readonly #fields: readonly FormField[];
  #content: Record<string, JsonValue> = {};
  #at = 0;

  constructor({ schema }: Elicitation) {
    this.#fields = formFields(schema);
  }

  get isEmpty(): boolean {
    return this.#fields.length === 0;
  }

  rows(paint: Paint): string[] {
    const field = this.#current();
    if (!field) return [];
    return fieldRows(field, paint, ` (${this.#at + 1} of ${this.#fields.length})`);
  }

  /**
   * Takes the line for the current field; returns the reply after the last one. The form then begins again with what
   * was written, in case the session refuses it.
   *
   * @throws `invalid_params` when the line does not fit the field, which stays the current one.
   */
  answer(line: string): ElicitationReply | undefined {
    const field = this.#current();
    if (field) {
      const value = fieldValue(field, line);
      const { [field.name]: _before, ...others } = this.#content;
      this.#content = value === undefined ? others : { ...others, [field.name]: value };
    }
    this.#at += 1;
    if (this.#at < this.#fields.length) return undefined;
    this.#at = 0;
    return { type: "respond", action: "accept", content: this.#content };
  }

  #current(): FormField | undefined {
    const field = this.#fields[this.#at];
    if (!field) return undefined;
    const written = this.#content[field.name];
    return written === undefined ? field : { ...field, initial: written };
  }
}

const actions = ["accept", "decline", "cancel"] as const;

/**
 * A reply that a person wrote at once: `accept`, `decline`, `cancel`, the fields as JSON, or as `NAME=VALUE`. Fields
 * that are not named get their initial values.
 *
 * @throws `invalid_params` when it does not fit the form.
 */
export function replyIn(parts: readonly string[], { mode, schema }: Elicitation): ElicitationReply {
  const written = parts.map((part) => part.trim()).filter((part) => part !== "");
  const [first = "accept"] = written;
  const action = actions.find((each) => each === first) ?? "accept";
  const named = written.length === 1 && action === first ? [] : written;
  if (action !== "accept") return { type: "respond", action };
  if (mode === "url") {
    if (named.length === 0 && written.length > 0) return { type: "respond", action };
    throw errorOf("invalid_params", "This request is about a page, not a form.", {
      hint: "Write accept when you have opened the page, or decline.",
    });
  }
  const content = first.startsWith("{")
    ? objectIn(written.join(" "))
    : contentOf(named, formFields(schema));
  return { type: "respond", action, content };
}

function contentOf(pairs: readonly string[], fields: readonly FormField[]): JsonObject {
  const texts = new Map(pairs.map((pair) => pairIn(pair, fields)));
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = fieldValue(field, texts.get(field.name) ?? "");
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

function pairIn(pair: string, fields: readonly FormField[]): [string, string] {
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(at, 0)).trim();
  if (fields.some((field) => field.name === name)) return [name, pair.slice(at + 1)];
  throw errorOf("invalid_params", `The form has no field for: ${brief(pair, 60)}`, {
    hint: `Write NAME=VALUE with these names: ${fields.map((field) => field.name).join(", ")}.`,
  });
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value as JsonObject;
  } catch {
    // Told below.
  }
  throw errorOf("invalid_params", "The content is not a JSON object.", {
    hint: 'Write it as in {"name":"value"}, or as NAME=VALUE.',
  });
}
