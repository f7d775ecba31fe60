import type {
  CreateElicitationResponse,
  ElicitationPropertySchema,
  ElicitationSchema,
} from "@agentclientprotocol/sdk";
import type { FormField, PendingRequest } from "../../client/index.ts";
import { formFields } from "../../client/index.ts";
import type { EditorAnswer } from "./editor-answer.ts";

type Elicitation = Extract<PendingRequest, { type: "elicitation" }>;
type Schema = NonNullable<Elicitation["schema"]>;

/** Bounds that ACP has in the same form as MCP. */
const bounds = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"] as const;

const formats: readonly string[] = ["email", "uri", "date", "date-time"];

function boundsOf(field: unknown): Record<string, number> {
  if (typeof field !== "object" || field === null) return {};
  return Object.fromEntries(
    bounds.flatMap((name): [string, number][] => {
      const value: unknown = Reflect.get(field, name);
      return typeof value === "number" ? [[name, value]] : [];
    }),
  );
}

function propertyOf(field: FormField, bound: Record<string, number>): ElicitationPropertySchema {
  const { title, description, initial, format, options } = field;
  const named = { title, ...(description !== undefined && { description }) };
  const choices = options.map(({ value, label }) => ({ const: value, title: label }));
  switch (field.kind) {
    case "boolean":
      return {
        type: "boolean",
        ...named,
        ...(typeof initial === "boolean" && { default: initial }),
      };
    case "number":
    case "integer":
      return {
        type: field.kind,
        ...named,
        ...bound,
        ...(typeof initial === "number" && { default: initial }),
      };
    case "choices":
      return {
        type: "array",
        ...named,
        ...bound,
        items: { anyOf: choices },
        ...(Array.isArray(initial) && { default: initial.map(String) }),
      };
    default: {
      const isKnown = format !== undefined && formats.includes(format);
      return {
        type: "string",
        ...named,
        ...bound,
        ...(choices.length > 0 && { oneOf: choices }),
        ...(isKnown && { format: format as "email" }),
        ...(typeof initial === "string" && { default: initial }),
      };
    }
  }
}

/** What an MCP server asks, as a form of ACP: the same fields, and nothing that ACP has no word for. */
export function requestedSchema(schema: Schema = {}): ElicitationSchema {
  const fields = formFields(schema);
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, unknown>>;
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map((field) => [field.name, propertyOf(field, boundsOf(properties[field.name]))]),
    ),
    ...(required.length > 0 && { required }),
  };
}

/** What the filled form, or the opened page, means for the server. */
export function elicitationAnswer(
  { mode }: Elicitation,
  response: CreateElicitationResponse,
): EditorAnswer {
  switch (response.action) {
    case "accept": {
      if (mode === "url") return { type: "respond", action: "accept" };
      return { type: "respond", action: "accept", content: contentOf(response) };
    }
    case "decline":
      return { type: "respond", action: "decline" };
    default:
      return { type: "respond", action: "cancel" };
  }
}

type Content = NonNullable<Extract<EditorAnswer, { action: "accept" }>["content"]>;

const contentOf = (response: CreateElicitationResponse): Content =>
  // What the form holds the session checks.
  (response as { content?: Content | null }).content ?? {};
