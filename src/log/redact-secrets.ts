const HIDDEN = "[redacted]";

/** `input_tokens` and `max_tokens` are figures: a token is a secret only as the last word of a name. */
const SECRET_NAME =
  /authorization|cookie|credential|passw|passphrase|secret|api[-_]?key|private[-_]?key|token$/i;

/** Keys and tokens that are recognised by their form, anywhere. */
const SECRET_TEXT = /\bsk-[\w-]{8,}|\b(?<=bearer\s+)[\w.~+/=-]{8,}/gi;

/** Deep enough for any message of ours; deeper values are not worth a log line. */
const MAX_DEPTH = 12;

/**
 * Hides secrets in a finished line of JSON. It is parsed again because the fields of a child logger reach no
 * formatter.
 */
export function redactLine(line: string): string {
  const fields = JSON.parse(line) as Record<string, unknown>;
  return `${JSON.stringify(redactFields(fields)).replaceAll(SECRET_TEXT, HIDDEN)}\n`;
}

/** A copy for the log: no value under a secret's name, errors with their causes. */
export function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  return copyObject(fields, []);
}

function copyValue(value: unknown, parents: readonly object[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (parents.includes(value)) return "[circular]";
  if (parents.length >= MAX_DEPTH) return "[too deep]";
  const path = [...parents, value];
  if (value instanceof Error) return copyObject(describeError(value), path);
  if (Array.isArray(value)) return value.map((item) => copyValue(item, path));
  if ("toJSON" in value && typeof value.toJSON === "function")
    return copyValue(value.toJSON(), path);
  return copyObject(value, path);
}

function copyObject(object: object, parents: readonly object[]): Record<string, unknown> {
  const entries = Object.entries(object).map(([name, value]) => [
    name,
    SECRET_NAME.test(name) ? HIDDEN : copyValue(value, parents),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** What JSON omits of an error, and properties that were added to it. */
function describeError(error: Error): object {
  const { name, message, stack, cause } = error;
  return Object.assign({ name, message, stack }, cause === undefined ? {} : { cause }, error);
}
