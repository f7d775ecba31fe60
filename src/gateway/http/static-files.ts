import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { errorOf } from "../../wire/errors.ts";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

const encodings = { ".br": "br", ".gz": "gzip" } as const;
type Suffix = keyof typeof encodings;

/** The builder writes a hash of the content into these names. */
const HASHED = /^\/assets\/.*[.-][\w-]{8,}\.\w+$/;

export interface StaticFile {
  readonly type: string;
  readonly isForEver: boolean;
  /** The content by its encoding: plain, and those that were made when the page was built. */
  readonly bodies: ReadonlyMap<string, Buffer>;
}

/**
 * The page's files by their path in a URL, read once. A request can only name one of them: no path of a request ever
 * reaches the disk.
 *
 * @throws `invalid_params` when the directory holds no page.
 */
export function readStaticFiles(directory: string): ReadonlyMap<string, StaticFile> {
  const all = listed(directory);
  const plain = all.filter((path) => !isCompressed(path));
  const files = new Map(plain.map((path) => [path, readOne(directory, path, all)]));
  if (files.has("/index.html")) return files;
  throw errorOf("invalid_params", `There is no index.html in ${directory}.`, {
    data: { path: directory },
    hint: "Name the directory in which the page was built.",
  });
}

/** The content in the best encoding that the browser takes. */
export function chooseBody(
  { bodies }: StaticFile,
  accepted: string,
): { encoding: string; body: Buffer } {
  const taken = new Set(
    accepted.split(",").map((each) => each.trim().replace(/;(?!q=0(\.0*)?$).*/, "")),
  );
  const encoding =
    Object.values(encodings).find((each) => taken.has(each) && bodies.has(each)) ?? "";
  return { encoding, body: bodies.get(encoding) ?? Buffer.alloc(0) };
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(
        (entry) =>
          `/${relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/")}`,
      );
  } catch (cause) {
    throw errorOf("invalid_params", `The page's directory ${directory} cannot be read.`, {
      data: { path: directory },
      cause,
      hint: "Name the directory in which the page was built.",
    });
  }
}

const isCompressed = (path: string): boolean => Object.hasOwn(encodings, extname(path));

function readOne(directory: string, path: string, all: readonly string[]): StaticFile {
  const bodies = new Map([["", readFileSync(join(directory, path))]]);
  for (const [suffix, encoding] of Object.entries(encodings) as [Suffix, string][]) {
    if (all.includes(path + suffix))
      bodies.set(encoding, readFileSync(join(directory, path + suffix)));
  }
  return {
    type: types[extname(path)] ?? "application/octet-stream",
    isForEver: HASHED.test(path),
    bodies,
  };
}
