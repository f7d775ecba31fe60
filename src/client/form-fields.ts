import { errorOf } from "../wire/errors.ts";
import type { JsonObject, JsonValue } from "../wire/json.ts";
import { isRecord } from "../wire/json.ts";

/** One of the values that a field offers. */
export interface FormOption {
  readonly value: string;
  readonly label: string;
}

/** A field of the form that an MCP server asks a person to fill in. */
export interface FormField {
  readonly name: string;
  /** For people; the name where the server gives no title. */
  readonly title: string;
  readonly description?: string;
  readonly isRequired: boolean;
  /** What the field holds before the person has written anything. */
  readonly initial?: JsonValue;
  /** `json`: this client knows no better way to ask for it. */
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices" | "json";
  /** Of a text: `email`, `uri`, `date` or `date-time`. */
  readonly format?: string;
  /** Of a choice. */
  readonly options: readonly FormOption[];
}

/** The fields of a form in the order in which the server lists them. */
export function formFields(schema: JsonObject = {}): FormField[] {
  const { properties, required } = schema;
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, field]) =>
    isRecord(field) ? [fieldOf(name, field, needed.includes(name))] : [],
  );
}

function fieldOf(name: string, schema: JsonObject, isRequired: boolean): FormField {
  const { title, description, format, default: initial } = schema;
  const options = optionsOf(schema);
  return {
    name,
    title: typeof title === "string" && title !== "" ? title : name,
    ...(typeof description === "string" && { description }),
    isRequired,
    ...(initial !== undefined && { initial }),
    kind: kindOf(schema, options),
    ...(typeof format === "string" && { format }),
    options,
  };
}

function kindOf({ type }: JsonObject, options: readonly FormOption[]): FormField["kind"] {
  if (type === "array") return options.length > 0 ? "choices" : "json";
  if (options.length > 0) return "choice";
  if (type === "number" || type === "integer" || type === "boolean") return type;
  return type === "string" ? "text" : "json";
}

/** MCP writes choices in several ways: plain, with names beside them, and each with its title. */
function optionsOf(schema: JsonObject): FormOption[] {
  const { items } = schema;
  if (schema["type"] === "array") return isRecord(items) ? optionsOf(items) : [];
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled)) {
    return titled.flatMap((each) => {
      if (!isRecord(each) || typeof each["const"] !== "string") return [];
      const { const: value, title } = each;
      return [{ value, label: typeof title === "string" ? title : value }];
    });
  }
  const { enum: values, enumNames } = schema;
  const names: unknown[] = Array.isArray(enumNames) ? enumNames : [];
  return (Array.isArray(values) ? values : []).flatMap((value, index) => {
    const label = names[index];
    if (typeof value !== "string") return [];
    return [{ value, label: typeof label === "string" ? label : value }];
  });
}

/**
 * The value that a person wrote for a field. An empty text means the initial value, or leaves the field out.
 *
 * @throws `invalid_params` when the text cannot be a value of the field.
 */
export function fieldValue(field: FormField, text: string): JsonValue | undefined {
  const written = text.trim();
  if (written === "") {
    if (field.initial !== undefined) return field.initial;
    if (field.isRequired) throw unfit(field, "is needed");
    return undefined;
  }
  switch (field.kind) {
    case "text":
      return text;
    case "number":
    case "integer": {
      const number = Number(written);
      const isWhole = field.kind === "number" || Number.isInteger(number);
      if (!Number.isFinite(number)) throw unfit(field, "is a number");
      if (!isWhole) throw unfit(field, "is a whole number");
      return number;
    }
    case "boolean":
      if (/^(?:y|yes|true)$/i.test(written)) return true;
      if (/^(?:n|no|false)$/i.test(written)) return false;
      throw unfit(field, "is yes or no");
    case "choice":
      return optionNamed(field, written);
    case "choices":
      return written
        .split(",")
        .map((word) => word.trim())
        .filter((word) => word !== "")
        .map((word) => optionNamed(field, word));
    default:
      return parsed(field, written);
  }
}

/** By its number, its value or its label. */
function optionNamed(field: FormField, word: string): string {
  const { options } = field;
  const named = options.find(({ value, label }) => value === word || label === word);
  const option = named ?? (/^\d+$/.test(word) ? options[Number(word) - 1] : undefined);
  if (option) return option.value;
  throw unfit(field, `is one of: ${options.map(({ value }) => value).join(", ")}`);
}

function parsed(field: FormField, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw unfit(field, "is JSON");
  }
}

const unfit = ({ title }: FormField, rule: string): Error =>
  errorOf("invalid_params", `${title} ${rule}.`, { hint: "Write it again." });
