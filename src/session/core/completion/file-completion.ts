import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { SessionCommandOf } from "../../../wire/session/commands.ts";
import type { Completions, FileItem } from "../../../wire/session/completion.ts";
import type { ListLimits } from "./list-files.ts";
import { listFiles } from "./list-files.ts";
import type { IndexedPath } from "./rank-paths.ts";
import { indexPaths, rankPaths } from "./rank-paths.ts";

/** A person types several letters a second, and each is a request. */
const KEEP_MS = 3_000;

interface Listed {
  readonly atMs: number;
  readonly files: Promise<IndexedFiles>;
}

interface IndexedFiles {
  readonly paths: readonly IndexedPath[];
  readonly whole: boolean;
}

/** Completes names of files in the session's directory and in those that were added to it, and in no others. */
export class FileCompletion {
  readonly #roots: readonly string[];
  readonly #cwd: string;
  readonly #limits: ListLimits | undefined;
  readonly #listed = new Map<string, Listed>();

  /** All directories are absolute. */
  constructor(cwd: string, added: readonly string[] = [], limits?: ListLimits) {
    this.#limits = limits;
    this.#cwd = cwd;
    this.#roots = [...new Set([cwd, ...added])];
  }

  /** @throws `cwd_not_found` when one of the directories is gone. */
  async complete(command: SessionCommandOf<"complete">): Promise<Completions> {
    const typed = command.prefix.replace(/^(?:\.\/)+/, "");
    const found = await Promise.all(this.#roots.map((root) => this.#fitting(root, typed)));
    const items: FileItem[] = [];
    for (const { root, paths } of found) {
      for (const path of paths) {
        if (items.length === command.limit) return { items, more: true };
        // git also lists files that were removed.
        const file = await lstat(join(root, path)).catch(() => undefined);
        if (file) items.push(this.#item(root, path, file.isDirectory()));
      }
    }
    return { items, more: found.some(({ whole }) => !whole) };
  }

  #item(root: string, path: string, isDirectory: boolean): FileItem {
    const shown = root === this.#cwd ? path : join(root, path);
    // A repository inside another one is listed as a file.
    if (isDirectory) return { path: shown.replace(/\/*$/, "/"), kind: "directory" };
    return { path: shown, kind: "file" };
  }

  async #fitting(root: string, typed: string) {
    const below = typedBelow(root, typed);
    if (below === undefined) return { root, whole: true, paths: [] };
    const { paths, whole } = await this.#files(root);
    return { root, whole, paths: rankPaths(paths, below) };
  }

  #files(root: string): Promise<IndexedFiles> {
    const known = this.#listed.get(root);
    const nowMs = performance.now();
    if (known && nowMs - known.atMs < KEEP_MS) return known.files;
    const files = listFiles(root, this.#limits).then(({ paths, whole }) => ({
      paths: indexPaths(paths),
      whole,
    }));
    this.#listed.set(root, { atMs: nowMs, files });
    // The next request tries again.
    files.catch(() => this.#listed.delete(root));
    return files;
  }
}

/** What is typed of a path below this directory; undefined when the path leads elsewhere. */
function typedBelow(root: string, typed: string): string | undefined {
  if (!typed.startsWith("/")) return typed;
  const inside = root.endsWith("/") ? root : `${root}/`;
  if (typed.startsWith(inside)) return typed.slice(inside.length);
  return inside.startsWith(typed) ? "" : undefined;
}
