import { JsonScanner } from "./json-scanner.ts";

/** The few fields of a JSON-RPC message by which the bridge decides where it goes, as `JSON.parse` would give them. */
export interface Fields {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  /** `params.name`, when `params` is an object. */
  name?: unknown;
  /** It has the field `result` or the field `error`. */
  answers: boolean;
}

/**
 * Reads the fields of a large message without parsing what lies between them.
 *
 * Undefined means "parse it": the bytes are no JSON object, or one of the fields is not a plain value.
 * Invalid JSON inside a value that is passed over stays unseen; whoever parses the message will see it.
 */
export function peek(bytes: Uint8Array): Fields | undefined {
  const scanner = new JsonScanner(bytes);
  const fields: Fields = { answers: false };
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
