import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { unzip } from "./download-wheel.ts";

it("unzip finds one file of an archive, packed or not", () => {
  const file = join(tempDir(), "a.zip");
  const text = "0123456789".repeat(10_000);
  const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    archive.writestr("a/plain", "other", zipfile.ZIP_STORED)
    archive.writestr("a/packed", "0123456789" * 10000, zipfile.ZIP_DEFLATED)
    archive.comment = b"a comment"
`;
  execFileSync("python3", ["-c", script, file]);
  const archive = readFileSync(file);
  expect(unzip(archive, "a/packed").toString()).toBe(text);
  expect(unzip(archive, "a/plain").toString()).toBe("other");
  expect(() => unzip(archive, "a/absent")).toThrow("the archive has no a/absent");
});
