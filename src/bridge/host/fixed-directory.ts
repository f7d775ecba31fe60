import { statSync } from "node:fs";
import { makeDirectories } from "../../net/make-directories.ts";
import { errorOf } from "../../wire/errors.ts";
import { PRIVATE_DIRECTORY_PERMISSIONS } from "../../wire/ipc-files.ts";

const WRITABLE_BY_OTHERS = 0o022;
const ROOT = 0;

/**
 * Makes the directory, or takes one that is there if nobody else can put another socket in the place of
 * ours: sessions would then speak with a host that is not ours. The sticky bit of /tmp is no protection,
 * because the name is free while the host is away.
 *
 * @throws `bridge_startup`, or what the system says.
 */
export function takeDirectory(path: string): void {
  makeDirectories(path, PRIVATE_DIRECTORY_PERMISSIONS);
  const { uid, mode } = statSync(path);
  const isOurs = uid === process.getuid?.() || uid === ROOT;
  if (isOurs && (mode & WRITABLE_BY_OTHERS) === 0) return;
  throw errorOf("bridge_startup", `Other users could put their own socket into ${path}.`, {
    data: { path },
    hint: "Name a directory that only you may write to. One that is missing is made so.",
  });
}
