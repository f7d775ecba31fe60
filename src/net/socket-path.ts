import { errorOf } from "../wire/errors.ts";

/** What the kernel's `sun_path` holds, less its final zero byte. */
export const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

export const fitsSocketPath = (path: string): boolean =>
  Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;

/** @throws `socket_path_invalid` when no process could bind or connect to the path. */
export function checkSocketPath(path: string): void {
  if (fitsSocketPath(path)) return;
  const length = Buffer.byteLength(path);
  throw errorOf(
    "socket_path_invalid",
    `The socket path ${path} has ${length} bytes; the system allows ${MAX_SOCKET_PATH_BYTES}.`,
    { data: { path, length, limit: MAX_SOCKET_PATH_BYTES } },
  );
}
