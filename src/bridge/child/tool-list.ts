import { tellOperator } from "./operator.ts";
import type { AnnouncedTool, ToolFile } from "./schema-file.ts";
import { readToolFile } from "./schema-file.ts";

/**
 * The tools that this process announces. The host may rewrite the schema file at any time, and takes it
 * away when it stops; then the last good version stands.
 */
export class ToolList {
  readonly #path: string;
  #file: ToolFile;
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

  /** True when a client holds tools that are no longer the file's. */
  isOutdated(): boolean {
    this.#refresh();
    return this.#givenOut !== undefined && this.#givenOut !== this.#file.text;
  }

  isIdempotent(name: string | undefined): boolean {
    return name !== undefined && this.#file.idempotent.has(name);
  }

  #refresh(): void {
    try {
      this.#file = readToolFile(this.#path);
    } catch (error) {
      tellOperator(error);
    }
  }
}
