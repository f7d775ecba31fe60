import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import { open, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { claudeConfig } from "../../../claude-config/claude-config.ts";
import { makeDirectories } from "../../../files/make-directories.ts";
import { LogIndex } from "../../../session/stored-sessions.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { ConversationFile } from "../../../wire/host.ts";
import type { AgentPaths } from "../local/agent-paths.ts";

/** A conversation of an agent, where this machine keeps it. */
export interface ConversationPlace {
  readonly paths: AgentPaths;
  readonly isolation: "config" | "home" | "shared";
  /** The session of Claude Code. */
  readonly session: string;
}

const MAX_FILES = 20_000;
const MAX_BYTES = 2 * 1024 ** 3;
const PRIVATE = 0o700;
/** Of the process that wrote the log last, which is not on the other machine. */
const NOT_TAKEN = new Set(["cli-pid"]);

/**
 * The files of a conversation that has no process now, with what each must be like where it arrives. None when there is no such
 * conversation here.
 *
 * @throws `message_too_large`.
 */
export async function listConversation(place: ConversationPlace): Promise<ConversationFile[]> {
  const roots = rootsOf(place);
  const names = (["claude", "log"] as const).flatMap((kind) =>
    partsOf(place, kind).flatMap((part) =>
      filesBelow(join(roots[kind], part)).map((rest) => `${kind}/${part}${rest}`),
    ),
  );
  const sizes = names.map((name) => statSync(pathOf(place, name)).size);
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (names.length > MAX_FILES || total > MAX_BYTES)
    throw errorOf(
      "message_too_large",
      `The conversation has ${names.length} files and ${total} bytes, which is too much to copy.`,
    );
  const files: ConversationFile[] = [];
  for (const [index, name] of names.entries()) {
    const sha256 = await hashOf(pathOf(place, name));
    files.push({ name, bytes: sizes[index] ?? 0, sha256 });
  }
  return files;
}

/** A part of one of these files. @throws `invalid_params` for another file. */
export async function readConversation(
  place: ConversationPlace,
  { name, offset, limit }: { name: string; offset: number; limit: number },
): Promise<Uint8Array> {
  const file = await open(pathOf(place, name));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(limit), 0, limit, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Keeps a part of a file that comes from another machine, until all of them are there. */
export async function keepPart(
  place: ConversationPlace,
  { name, offset, data }: { name: string; offset: number; data: Uint8Array },
): Promise<void> {
  pathOf(place, name);
  const path = join(draftOf(place), name);
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE });
  const file = await open(path, offset === 0 ? "w" : "r+", 0o600);
  try {
    await file.write(data, 0, data.length, offset);
  } finally {
    await file.close();
  }
}

/**
 * Puts a conversation that has arrived in its place. What this machine had of it before is replaced: the other one had it last.
 * After a crash in the middle it can be done again from the other machine's files.
 *
 * @throws `invalid_params` when a file is not as it was.
 */
export async function installConversation(
  place: ConversationPlace,
  files: readonly ConversationFile[],
): Promise<void> {
  const draft = draftOf(place);
  for (const { name, bytes, sha256 } of files) {
    const path = join(draft, name);
    // A file without content has no part.
    if (bytes === 0) await keepPart(place, { name, offset: 0, data: new Uint8Array() });
    if (statSync(path).size !== bytes || (await hashOf(path)) !== sha256)
      throw errorOf("invalid_params", `${name} did not arrive as it was sent.`);
    await sync(path);
  }
  const roots = rootsOf(place);
  for (const kind of ["claude", "log"] as const)
    for (const part of partsOf(place, kind)) await rm(join(roots[kind], part), { recursive: true });
  for (const { name } of files) {
    const path = pathOf(place, name);
    makeDirectories(dirname(path), PRIVATE);
    await rename(join(draft, name), path);
    await sync(dirname(path));
  }
  const log = files.find(({ name }) => name.startsWith("log/"))?.name.split("/")[1];
  if (log !== undefined)
    new LogIndex(place.paths.state).assign(place.session, join(roots.log, log));
  await rm(draft, { recursive: true, force: true });
}

const draftOf = ({ paths, session }: ConversationPlace): string =>
  join(paths.root, "arriving", session);

function rootsOf({ paths, isolation }: ConversationPlace) {
  const claude = isolation === "shared" ? claudeConfig().directory : paths.config;
  return { claude, log: join(paths.state, "logs") };
}

/** What there is of the conversation, relative to its root: files, and directories with all that is in them. */
function partsOf(place: ConversationPlace, kind: "claude" | "log"): string[] {
  const { paths, session } = place;
  if (kind === "log") {
    if (!existsSync(join(paths.state, "sessions"))) return [];
    const directory = new LogIndex(paths.state).find(session);
    return directory !== undefined && existsSync(directory)
      ? [directory.slice(rootsOf(place).log.length + 1)]
      : [];
  }
  const { claude } = rootsOf(place);
  const projects = namesIn(join(claude, "projects")).map((name) => `projects/${name}`);
  return [...projects, "todos", "tasks", "file-history"].flatMap((folder) =>
    namesIn(join(claude, folder))
      .filter((name) => belongsTo(name, session))
      .map((name) => `${folder}/${name}`),
  );
}

const belongsTo = (name: string, session: string): boolean =>
  name === session || name.startsWith(`${session}.`) || name.startsWith(`${session}-`);

/** Where the file lies. @throws `invalid_params` for one that is none of the conversation's. */
function pathOf(place: ConversationPlace, name: string): string {
  const [kind = "", ...parts] = name.split("/");
  const isPath = parts.every((part) => part !== "" && part !== "." && part !== "..");
  const [first = "", second = "", third = ""] = parts;
  const roots = rootsOf(place);
  if (isPath && kind === "log" && parts.length > 1 && /^[\w-]+$/.test(first))
    return join(roots.log, ...parts);
  const entry = first === "projects" ? third : second;
  const isKnown = ["projects", "todos", "tasks", "file-history"].includes(first);
  if (isPath && kind === "claude" && isKnown && belongsTo(entry, place.session))
    return join(roots.claude, ...parts);
  throw errorOf("invalid_params", `${name} is no file of the conversation ${place.session}.`);
}

/** A file is "" below itself. Links are left out. */
function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [""];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory())
      return filesBelow(join(path, entry.name)).map((rest) => `/${entry.name}${rest}`);
    return entry.isFile() && !NOT_TAKEN.has(entry.name) ? [`/${entry.name}`] : [];
  });
}

const namesIn = (directory: string): string[] =>
  existsSync(directory) ? readdirSync(directory) : [];

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
