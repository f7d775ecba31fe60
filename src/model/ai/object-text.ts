import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import { JsonCut } from "./json-cut.ts";

/**
 * The text of an object that is told while the model still gives it. What was told cannot be taken back, but a model
 * may give a wrong object first, or be cut off. Then the text goes on in the same object: of a key that comes twice,
 * the later value counts for every parser of JSON.
 */
export class ObjectText {
  readonly #isKey: (key: string) => boolean;
  #told = "";
  #attempt: { id: string; cut: JsonCut } | undefined;

  /** @param isKey whether the object can have a key; an attempt is told up to the first that it cannot have. */
  constructor(isKey: (key: string) => boolean) {
    this.#isKey = isKey;
  }

  /** Takes what the model gave of an attempt, and gives what can be told. */
  take(id: string, delta: string): string {
    const broken = this.#attempt?.id === id ? "" : this.#breakOff();
    this.#attempt ??= { id, cut: new JsonCut(this.#isKey) };
    const { cut } = this.#attempt;
    const fresh = cut.take(delta);
    const isNext = fresh !== "" && cut.told === fresh && this.#told !== "";
    // The brace that opens it has been told by the attempt before.
    const text = broken + (isNext ? fresh.replace("{", ",") : fresh);
    this.#told += text;
    return text;
  }

  /** What makes the text the object's; nothing when what was told cannot become it. */
  finish(object: unknown): string | undefined {
    const whole = JSON.stringify(object);
    const closing = this.#breakOff();
    if (this.#told === "") return whole;
    const told = parse(`${this.#told}${closing}}`);
    if (told === undefined) return undefined;
    if (isDeepStrictEqual(told, JSON.parse(whole))) return `${closing}}`;
    const isPart = isRecord(object) && Object.keys(told).every((key) => Object.hasOwn(object, key));
    return isPart ? `${closing},${whole.slice(1)}` : undefined;
  }

  /** Closes what the attempt left open, but for the object itself. */
  #breakOff(): string {
    const cut = this.#attempt?.cut;
    this.#attempt = undefined;
    return cut === undefined || cut.told === "" ? "" : cut.closing;
  }
}

/** A model may write what is no JSON. */
function parse(json: string): JsonObject | undefined {
  try {
    return JSON.parse(json) as JsonObject;
  } catch {
    return undefined;
  }
}
