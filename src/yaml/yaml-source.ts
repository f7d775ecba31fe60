import type { Document, YAMLError } from "yaml";
import { LineCounter, isCollection, isMap, isNode, isScalar, parseDocument, visit } from "yaml";
import type { FileIssue, SourcePosition } from "./file-issue.ts";
import { pathText } from "./file-issue.ts";

/** A YAML text as a value, with the line and column of everything in it. */
export class YamlSource {
  readonly value: unknown;
  /** The first one only: later ones mostly follow from it. */
  readonly syntaxError: FileIssue | undefined;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  constructor(text: string) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    // A warning means that the parser dropped something, such as an unknown tag.
    const [error] = [...this.#document.errors, ...this.#document.warnings];
    this.syntaxError = error ? this.#issueAt(error.pos[0], inOurWords(error)) : this.#oddName();
    if (this.syntaxError) return;
    try {
      this.value = this.#document.toJS();
    } catch (cause) {
      // The parser resolves aliases only here.
      const message = cause instanceof Error ? cause.message : String(cause);
      this.syntaxError = this.#aliasOfNothing() ?? this.#issueAt(0, message);
    }
  }

  /** The first key that cannot become a field: `__proto__`, or a list or map as a key. */
  #oddName(): FileIssue | undefined {
    let issue: FileIssue | undefined;
    visit(this.#document, {
      Pair: (_key, { key }) => {
        const isProto = isScalar(key) && key.value === "__proto__";
        if (!isProto && !isCollection(key)) return undefined;
        const message = isProto
          ? "The name __proto__ cannot be used. Choose another."
          : "A name is expected here. Text with braces or brackets needs quotes.";
        issue = this.#issueAt(key.range?.[0] ?? 0, message);
        return visit.BREAK;
      },
    });
    return issue;
  }

  #aliasOfNothing(): FileIssue | undefined {
    let issue: FileIssue | undefined;
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

  #issueAt(offset: number, message: string): FileIssue {
    return { position: this.#positionAt(offset), path: "", message };
  }

  /** An issue about the value at this path. */
  issueAt(path: readonly PropertyKey[], message: string): FileIssue {
    return { position: this.positionOf(path), path: pathText(path), message };
  }

  /** The position of the value at this path; of a field, the position of its name. A missing one has its parent's. */
  positionOf(path: readonly PropertyKey[]): SourcePosition {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const offset = this.#offsetOf(path.slice(0, depth));
      if (offset !== undefined) return this.#positionAt(offset);
    }
    return this.#positionAt(0);
  }

  #offsetOf(path: readonly PropertyKey[]): number | undefined {
    const parent =
      path.length === 1 ? this.#document.contents : this.#document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)))
      : undefined;
    const node: unknown = pair?.key ?? this.#document.getIn(path, true);
    return isNode(node) ? node.range?.[0] : undefined;
  }

  #positionAt(offset: number): SourcePosition {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }
}

/** Two of the parser's messages are for programmers: these are for the file's author. */
function inOurWords({ code, message }: YAMLError): string {
  if (code === "MULTIPLE_DOCS") {
    return "A second document begins here. Remove it, with the line --- before it.";
  }
  if (code === "TAG_RESOLVE_FAILED") return `${message}. Text that begins with ! needs quotes.`;
  return message;
}
