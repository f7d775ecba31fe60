import { warnOperator } from "./warn-operator.ts";
import type { AnnouncedTool, SchemaFile } from "./read-schema-file.ts";
import { readToolFile } from "./read-schema-file.ts";

/**
 * The tools that this process announces. The host may rewrite the schema file at any time, and removes it when it
 * stops; the last good version then stays.
 */
export class ToolList {
  readonly #path: string;
  #file: SchemaFile;
  #givenOut: string | undefined;

  /** @throws `bridge_startup` when there is no first version. */
  constructor(path: string) {
    this.#path = path;
    this.#file = readToolFile(path);
  }

  giveOut(): readonly AnnouncedTool[] {
    this.#refresh();
    this.#givenOut = this.#file.text;
    return this.#file.tools;
  }

  /** Whether a client has a list of tools that differs from the file's. */
  isOutdated(): boolean {
    this.#refresh();
    return this.#givenOut !== undefined && this.#givenOut !== this.#file.text;
  }

  /** The tool as the file has it now: a call is checked against the newest schema. */
  find(name: string): AnnouncedTool | undefined {
    this.#refresh();
    return this.#file.tools.find((tool) => tool.name === name);
  }

  isIdempotent(name: string | undefined): boolean {
    return name !== undefined && this.#file.idempotent.has(name);
  }

  #refresh(): void {
    try {
      this.#file = readToolFile(this.#path);
    } catch (error) {
      warnOperator(error);
    }
  }
}
