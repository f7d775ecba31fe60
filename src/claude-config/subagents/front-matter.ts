import type { FileIssue, SourcePosition } from "../../yaml/file-issue.ts";
import { YamlSource } from "../../yaml/yaml-source.ts";

/** A Markdown file with YAML between two lines of dashes at its beginning. */
export interface FrontMatter {
  readonly value: unknown;
  readonly body: string;
  /** The place of a field in the whole file. */
  positionOf(path: readonly PropertyKey[]): SourcePosition | undefined;
}

const FENCES = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;

/** What it says, or what is wrong with it. */
export function readFrontMatter(text: string): FrontMatter | { readonly issue: FileIssue } {
  const plain = text.replace(/^\uFEFF/, "");
  const [whole, yaml = ""] = plain.startsWith("---") ? (FENCES.exec(plain) ?? []) : [];
  if (whole === undefined) {
    const message =
      "There is no front matter. The file begins with a line ---, then the fields, then a line ---.";
    return { issue: { position: { line: 1, column: 1 }, path: "", message } };
  }
  const strict = new YamlSource(yaml);
  const source = strict.syntaxError ? new YamlSource(withQuotes(yaml)) : strict;
  if (source.syntaxError) {
    // Of the text as it was written.
    const { position, ...rest } = strict.syntaxError ?? source.syntaxError;
    return { issue: { ...rest, position: position && below(position) } };
  }
  return {
    value: source.value ?? {},
    body: plain.slice(whole.length).trim(),
    positionOf: (path) => {
      const position = source.positionOf(path);
      return position && below(position);
    },
  };
}

/** The fields begin on the second line of the file. */
const below = ({ line, column }: SourcePosition): SourcePosition => ({ line: line + 1, column });

/** A text with colons, braces or # that stands there without quotes, as Claude Code's own files often have it. */
function withQuotes(yaml: string): string {
  return yaml.replaceAll(
    /^([A-Za-z][\w-]*):[ \t]+(?!["'[{|>])(\S.*?)[ \t]*\r?$/gm,
    (_line, field: string, value: string) => `${field}: ${JSON.stringify(value)}`,
  );
}
