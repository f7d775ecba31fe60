import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import { PartialJson } from "./close-partial-json.ts";

/**
 * The text of an object that is streamed while the model still writes it. Streamed text cannot be retracted, but a
 * model may write a wrong object first, or be cut off. The text then continues in the same object: every JSON parser
 * uses the later value of a repeated key.
 */
export class ObjectText {
  readonly #isKey: (key: string) => boolean;
  #told = "";
  #attempt: { id: string; cut: PartialJson } | undefined;

  /**
   * @param isKey whether the object can have a key; an attempt is streamed up to the first key that it cannot have.
   */
  constructor(isKey: (key: string) => boolean) {
    this.#isKey = isKey;
  }

  /** Takes the next piece of an attempt, and returns what can be streamed. */
  take(id: string, delta: string): string {
    const broken = this.#attempt?.id === id ? "" : this.#breakOff();
    this.#attempt ??= { id, cut: new PartialJson(this.#isKey) };
    const { cut } = this.#attempt;
    const fresh = cut.take(delta);
    const isNext = fresh !== "" && cut.told === fresh && this.#told !== "";
    // The attempt before has already streamed the opening brace.
    const text = broken + (isNext ? fresh.replace("{", ",") : fresh);
    this.#told += text;
    return text;
  }

  /** The text that completes the object; undefined when what was streamed cannot become it. */
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

  /** Closes what the attempt left open, except the object itself. */
  #breakOff(): string {
    const cut = this.#attempt?.cut;
    this.#attempt = undefined;
    return cut === undefined || cut.told === "" ? "" : cut.closing;
  }
}

/** A model may write invalid JSON. */
function parse(json: string): JsonObject | undefined {
  try {
    return JSON.parse(json) as JsonObject;
  } catch {
    return undefined;
  }
}
