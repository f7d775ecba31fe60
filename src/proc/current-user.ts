import { homedir, userInfo } from "node:os";
import { errorOf } from "../wire/errors.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The name of the user who runs us: SWITCHBOARD_USER, or the login name; the number where the system has no name for
 * it, as in many containers.
 */
export function userName({ SWITCHBOARD_USER: said }: Variables = process.env): string {
  if (said !== undefined && said.trim() !== "") return said;
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/**
 * The user's home directory.
 *
 * @throws `invalid_params` when neither HOME nor the system names one.
 */
export function homeDirectory({ HOME }: Variables): string {
  try {
    return HOME ?? homedir();
  } catch (cause) {
    throw errorOf("invalid_params", `The system has no home directory for ${userName()}.`, {
      cause,
      hint: "Set HOME to a directory of yours.",
    });
  }
}
