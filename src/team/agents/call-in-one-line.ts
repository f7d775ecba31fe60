import type { JsonObject, JsonValue } from "../../wire/json.ts";

const SUMMARY_CHARS = 200;

/** What a call is about, in one line. */
export const summaryOf = (input: JsonObject): string => brief(mainOf(input));

/** What a call is about, as a person would say it. */
function mainOf(input: JsonObject): string {
  const main = ["command", "file_path", "to", "url", "pattern", "description"]
    .map((field): JsonValue | undefined => input[field])
    .find((value) => typeof value === "string");
  if (typeof main !== "string") return JSON.stringify(input);
  const { content } = input;
  return typeof input["to"] === "string" && typeof content === "string"
    ? `${main}: ${content}`
    : main;
}

/** The first line of a text, cut with an ellipsis. */
export function brief(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length > SUMMARY_CHARS ? `${line.slice(0, SUMMARY_CHARS - 1)}…` : line;
}
