import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { spokenText } from "./text-to-send.ts";

test("spokenText refuses a file that is not UTF-8, and returns one that is as it stands", async () => {
  const directory = memoryDir();
  const [latin, plain] = [join(directory, "latin1.txt"), join(directory, "utf8.txt")];
  writeFileSync(latin, Buffer.from("caf\xe9", "latin1"));
  writeFileSync(plain, "café\n");
  await expect(spokenText(undefined, latin)).rejects.toMatchObject({
    code: "invalid_params",
    message: `${latin} is not UTF-8 text.`,
  });
  expect(await spokenText(undefined, plain)).toBe("café\n");
});
