import { lstatSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, resolve, sep } from "node:path";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { makeDirectories } from "../../files/make-directories.ts";

const ROOT = 0;
/** The user that Linux shows for one that a user namespace does not know. */
const UNMAPPED = 65_534;
const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;
const MAX_LINKS = 40;

/**
 * Makes a directory with mode 0700, and the missing ones above it. Checks every directory on the way, also existing
 * ones: another user who can rename one of them can replace our socket.
 *
 * @throws the system's error; `unsafe_place` with the directory and the danger.
 */
export function makeOwnDirectory(path: string): void {
  const whole = resolve(path);
  makeDirectories(whole, 0o700);
  const danger = findDanger(whole, true, MAX_LINKS);
  if (danger === undefined) return;
  throw unsafe(whole, `${whole} is not safe from other users: ${danger}.`);
}

/**
 * Checks a directory in which a socket is about to be put, and every directory above it. It may be shared, as
 * /tmp is, as long as its sticky bit keeps other users from replacing the socket.
 *
 * @throws the system's error; `unsafe_place` with the directory and the danger.
 */
export function checkSocketDirectory(path: string): void {
  const whole = resolve(path);
  const danger = findDanger(whole, false, MAX_LINKS);
  if (danger === undefined) return;
  throw unsafe(whole, `A socket in ${whole} is not safe from other users: ${danger}.`);
}

/** In the temporary directory this program chooses names itself, so another user can be there first. */
function unsafe(path: string, message: string): ClaudeCodeError {
  const hint =
    "Use a directory that belongs to you and that no other user can write to. If you did not choose this one, set TMPDIR to such a directory.";
  const isTemporary = path.startsWith(tmpdir() + sep);
  return errorOf("unsafe_place", message, { data: { path }, ...(isTemporary && { hint }) });
}

/** The directory above a path in which any user may rename files. Undefined when there is none. */
export function openDirectoryAbove(path: string): string | undefined {
  for (let at = dirname(resolve(path)); ; at = dirname(at)) {
    const { mode } = lstatSync(at);
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0 && isDirectory(mode)) return at;
    if (dirname(at) === at) return undefined;
  }
}

const TYPE = 0o170_000;
const DIRECTORY = 0o040_000;
const isDirectory = (mode: number): boolean => (mode & TYPE) === DIRECTORY;

/** How another user could replace the files in a directory. Undefined when no other user can. */
function findDanger(path: string, isLast: boolean, linksLeft: number): string | undefined {
  const parent = dirname(path);
  const above = parent === path ? undefined : findDanger(parent, false, linksLeft);
  if (above !== undefined) return above;
  const { uid, gid, mode } = lstatSync(path);
  const isChosen = !isLast && (statSync(parent).mode & OTHERS_WRITE) === 0;
  if (!isTrusted(uid, isChosen)) return `${path} belongs to another user (uid ${uid})`;
  if (!isDirectory(mode)) {
    if (linksLeft === 0) return `${path} leads through too many symbolic links`;
    return findDanger(resolve(parent, readlinkSync(path)), isLast, linksLeft - 1);
  }
  const isSharedGroup = isLast || !isOurGroup(gid);
  const others = (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && isSharedGroup);
  // The sticky bit prevents others from renaming existing files. It does not prevent them from adding files.
  const isOpen = others && (isLast || (mode & STICKY) === 0);
  return isOpen ? `other users can write to ${path}` : undefined;
}

/**
 * Root may work below any user's directory, as in a container with a mounted project; but not where any user could
 * have made that directory, as in /tmp.
 */
function isTrusted(uid: number, isChosen: boolean): boolean {
  const own = process.getuid?.() ?? uid;
  if (uid === own || uid === ROOT) return true;
  return isChosen && (own === ROOT || (uid === UNMAPPED && isRootUnmapped()));
}

/** Many systems give each user a group of the same number, and let it write by default. */
const isOurGroup = (gid: number): boolean =>
  gid === ROOT || (gid === process.getgid?.() && gid === process.getuid?.());

/** In a sandbox that knows only its own user, root's directories seem to have an unknown owner. */
function isRootUnmapped(): boolean {
  try {
    const ranges = readFileSync("/proc/self/uid_map", "utf8").trim().split("\n");
    return !ranges.some((range) => range.trim().startsWith("0 "));
  } catch {
    return false;
  }
}
