import { makeDirectories } from "../../files/make-directories.ts";

const PRIVATE_DIRECTORY = 0o700;

export function makePrivateDirectory(path: string): void {
  makeDirectories(path, PRIVATE_DIRECTORY);
}
