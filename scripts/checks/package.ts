import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { runTool } from "./command.ts";

/** Builds the package and judges it as its users will get it: every entry resolves to a packed file. */
export async function checkPackage(root: string): Promise<string[]> {
  const broken = await runTool(root, "tsc", "-p", "tsconfig.build.json");
  if (broken.length > 0) return broken;
  const { messages, pkg } = await publint({ pkgDir: root, pack: "npm", strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}
