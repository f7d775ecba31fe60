import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describeFileError } from "../files/describe-file-error.ts";
import { systemCode } from "../files/system-error-code.ts";
import { errorOf } from "../wire/errors.ts";

const KEY_BYTES = 32;
const PRIVATE_FILE = 0o600;

/**
 * The key with which the state of a call is signed while its person fills in a form. It is in a file, so that a form that
 * was open when this process was killed counts for the next one.
 *
 * @throws `invalid_params` when the file cannot be read or written, or is damaged.
 */
export function stateKey(path: string): Uint8Array {
  try {
    const key = existing(path) ?? created(path);
    if (key.length === KEY_BYTES) return key;
  } catch (cause) {
    throw errorOf("invalid_params", `${path} cannot be used: ${describeFileError(cause)}.`, {
      cause,
      data: { path },
    });
  }
  throw errorOf("invalid_params", `${path} is damaged: it is not a key of ${KEY_BYTES} bytes.`, {
    data: { path },
    hint: "Delete it. Forms that are open then have to be asked again.",
  });
}

function existing(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Several processes may begin at once: the first one's key counts, and no reader sees half of it. */
function created(path: string): Uint8Array {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: PRIVATE_FILE, flag: "wx" });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}
