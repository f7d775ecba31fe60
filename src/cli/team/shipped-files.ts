import { fileURLToPath } from "node:url";

/** A file of examples/, which comes along with the package. The same from src/ and from dist/. */
export const shippedFile = (name: string): string => inPackage(`examples/${name}`);

/** The JSON Schema of a file that people write, for their editors. */
export const schemaFile = (name: "team-file" | "rehearsal-script"): string =>
  inPackage(`schema/${name}.json`);

const inPackage = (path: string): string =>
  fileURLToPath(new URL(`../../../${path}`, import.meta.url));
