import type { Document } from "yaml";
import { LineCounter, isMap, isNode, isScalar, parseDocument } from "yaml";
import type { Place, ScriptIssue } from "./script-issues.ts";

/** A YAML text as a value, with the line and column of everything in it. */
export class YamlSource {
  readonly value: unknown;
  /** The first only: those after it mostly follow from it. */
  readonly syntaxError: ScriptIssue | undefined;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  constructor(text: string) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const [error] = this.#document.errors;
    this.syntaxError = error && {
      place: this.#placeAt(error.pos[0]),
      path: "",
      message: error.message,
    };
    this.value = error ? undefined : this.#document.toJS();
  }

  /** Where the thing at this path stands; a field by its name. For what is missing, where it should be. */
  placeOf(path: readonly PropertyKey[]): Place {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const offset = this.#offsetOf(path.slice(0, depth));
      if (offset !== undefined) return this.#placeAt(offset);
    }
    return this.#placeAt(0);
  }

  #offsetOf(path: readonly PropertyKey[]): number | undefined {
    const parent =
      path.length === 1 ? this.#document.contents : this.#document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
      : undefined;
    const node: unknown = pair?.key ?? this.#document.getIn(path, true);
    return isNode(node) ? node.range?.[0] : undefined;
  }

  #placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }
}
