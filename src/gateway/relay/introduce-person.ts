import { randomUUID } from "node:crypto";
import { parseJson } from "../../wire/json-payload.ts";
import { isRecord } from "../../wire/json.ts";
import { encodeLine } from "../../wire/lines.ts";

/** The first line of a connection to a team: who the signed-in person is, whatever their page says later. */
export interface Introduction {
  readonly line: Uint8Array;
  /** Undefined when this line of the team is not its answer. */
  answerIn(line: Uint8Array): { ok: true } | { ok: false; why: string } | undefined;
}

export function introduce(name: string): Introduction {
  const id = `gateway-${randomUUID()}`;
  const mark = Buffer.from(id);
  return {
    line: encodeLine({
      jsonrpc: "2.0",
      id,
      method: "hello",
      params: { client: name, fixed: true },
    }),
    answerIn(line) {
      if (!Buffer.from(line.buffer, line.byteOffset, line.length).includes(mark)) return undefined;
      const parsed = parseJson(line);
      if (!parsed.ok || !isRecord(parsed.value) || parsed.value["id"] !== id) return undefined;
      const { result } = parsed.value;
      // A team that does not fix the name would let the page take another.
      if (isRecord(result) && result["fixed"] === true) return { ok: true };
      return { ok: false, why: `The team does not take the name ${JSON.stringify(name)}.` };
    },
  };
}
