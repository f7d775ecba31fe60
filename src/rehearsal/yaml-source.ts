import type { Document } from "yaml";
import { LineCounter, isMap, isNode, isScalar, parseDocument, visit } from "yaml";
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
    // A warning means that something was dropped, such as a tag that nobody knows.
    const [error] = [...this.#document.errors, ...this.#document.warnings];
    this.syntaxError = error && this.#issueAt(error.pos[0], error.message);
    if (error) return;
    try {
      this.value = this.#document.toJS();
    } catch (cause) {
      // The parser takes aliases as they come, and finds out here what they stand for.
      const message = cause instanceof Error ? cause.message : String(cause);
      this.syntaxError = this.#aliasOfNothing() ?? this.#issueAt(0, message);
    }
  }

  #aliasOfNothing(): ScriptIssue | undefined {
    let issue: ScriptIssue | undefined;
    visit(this.#document, {
      Alias: (_key, alias) => {
        if (alias.resolve(this.#document) !== undefined) return undefined;
        const message = `There is no &${alias.source} before *${alias.source}. Text that begins with * needs quotes.`;
        issue = this.#issueAt(alias.range?.[0] ?? 0, message);
        return visit.BREAK;
      },
    });
    return issue;
  }

  #issueAt(offset: number, message: string): ScriptIssue {
    return { place: this.#placeAt(offset), path: "", message };
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
