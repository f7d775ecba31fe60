import { fileURLToPath } from "node:url";

/** A file of examples/, which comes along with the package. The same from src/ and from dist/. */
export const shippedFile = (name: string): string =>
  fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
