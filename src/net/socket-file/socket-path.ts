import { errorOf } from "../../wire/errors.ts";

/** What the kernel's `sun_path` holds, less its final zero byte. */
export const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

export const fitsSocketPath = (path: string): boolean =>
  Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;

/** @throws `socket_path_invalid` when no process could bind or connect to the path. */
export function checkSocketPath(path: string): void {
  checkNamesFile(path);
  if (fitsSocketPath(path)) return;
  const length = Buffer.byteLength(path);
  throw errorOf(
    "socket_path_invalid",
    `The socket path ${path} has ${length} bytes; the system allows ${MAX_SOCKET_PATH_BYTES}.`,
    { data: { path, length, limit: MAX_SOCKET_PATH_BYTES } },
  );
}

/** @throws `socket_path_invalid` for what is not the path of a file, however short. */
export function checkNamesFile(path: string): void {
  if (path !== "" && !path.includes("\0")) return;
  const what = path === "" ? "is empty" : `${JSON.stringify(path)} has a zero byte in it`;
  throw errorOf("socket_path_invalid", `The socket path ${what}.`, {
    data: { path },
    hint: "Name a file in a directory that exists and is yours.",
  });
}
