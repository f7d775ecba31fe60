import { JsonScanner } from "./json-scanner.ts";

/** The few fields of a JSON-RPC message that determine where it goes, as `JSON.parse` would return them. */
export interface PeekedFields {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  /** `params.name`, when `params` is an object. */
  name?: unknown;
  /** It has a field `result` or `error`. */
  answers: boolean;
}

/**
 * Reads the fields of a large message without parsing what is between them.
 *
 * Undefined means "parse it": the bytes are not a JSON object, or one of the fields is not a plain value. Invalid
 * JSON inside a skipped value is not noticed here, but when the message is parsed.
 */
export function peek(bytes: Uint8Array): PeekedFields | undefined {
  const scanner = new JsonScanner(bytes);
  const fields: PeekedFields = { answers: false };
  try {
    scanner.object((key) => {
      if (key === "jsonrpc" || key === "id" || key === "method") fields[key] = scanner.scalar();
      else if (key === "params") fields.name = readName(scanner);
      else {
        if (key === "result" || key === "error") fields.answers = true;
        scanner.skipValue();
      }
    });
    scanner.end();
    return fields;
  } catch {
    return undefined;
  }
}

function readName(scanner: JsonScanner): unknown {
  let name: unknown;
  if (!scanner.seesObject()) {
    scanner.skipValue();
    return name;
  }
  scanner.object((key) => {
    if (key === "name") name = scanner.scalar();
    else scanner.skipValue();
  });
  return name;
}
