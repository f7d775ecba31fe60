import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { connectNats } from "../../src/tunnel/nats/connect-nats.ts";
import { writeBusFiles } from "../../src/tunnel/nats/init/write-bus-files.ts";
import type { BusFiles } from "../../src/tunnel/nats/init/write-bus-files.ts";
import { openNatsBus } from "../../src/bus/jetstream/open-nats-bus.ts";
import { accessOf, readCredentials } from "../../src/nats/nats-credentials.ts";
import { makeMessage } from "../support/bus/messages.ts";
import type { Nats } from "../support/nats/start-nats.ts";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { strictConfig } from "../support/tunnel/strict-nats.ts";

const filesFor = (directory: string, team: string): Promise<BusFiles> =>
  writeBusFiles({
    directory,
    team,
    hosts: ["h1", "h2"],
    listen: "127.0.0.1:4222",
    addresses: ["127.0.0.1"],
  });

/** The server's refusals of what is done, in its own words. */
async function refusals(nc: NatsConnection, act: () => void): Promise<string[]> {
  const said: string[] = [];
  void (async () => {
    for await (const status of nc.status())
      if (status.type === "error") said.push(status.error.message);
  })();
  act();
  await nc.flush();
  await nc.flush();
  return said;
}

describe.skipIf(!hasNats)("the files of 'switchboard bus init'", () => {
  const directory = mkdtempSync(join(tmpdir(), "sb-test-"));
  let files: BusFiles;
  let nats: Nats;
  beforeAll(async () => {
    files = await filesFor(join(directory, "bus"), "build");
    nats = await startNats({ config: strictConfig(files.server) });
  });
  afterAll(async () => {
    await nats.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const raw = async (name: string, change: object = {}): Promise<NatsConnection> => {
    const { seed, tls, inboxPrefix } = accessOf(nats.server.url, files.credentials[name]);
    const nc = await connect({
      servers: nats.server.url,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
      inboxPrefix: inboxPrefix!,
      tls: {
        handshakeFirst: true,
        caFile: tls!.ca!,
        certFile: tls!.cert!,
        keyFile: tls!.key!,
      },
      ...change,
    });
    onTestFinished(() => nc.close());
    return nc;
  };

  test("let the team and each host in, and carry a stream between them", async () => {
    const [team, host] = await Promise.all(
      ["team", "h1"].map((name) => connectNats(accessOf(nats.server.url, files.credentials[name]))),
    );
    onTestFinished(async () => void (await Promise.all([team!.close(), host!.close()])));
    const heard = Promise.withResolvers<string>();
    host!.hostEnd("build", "h1").subscribe((_, bytes) => heard.resolve(String(Buffer.from(bytes))));
    const sent = setInterval(
      () => team!.teamEnd("build").to("h1").publish("beat", Buffer.from("hello")),
      100,
    );
    expect(await heard.promise).toBe("hello");
    clearInterval(sent);
  });

  test.each([
    "sb.build.h.h1.dn.*",
    "sb.build.h.h1.up.*",
    "sb.build.h.*.dn.*",
    "sb.build.>",
    "sb.build.log.*",
    ">",
    "_INBOX_team.>",
    "_INBOX_h1.>",
    "$SYS.>",
  ])("refuse that h2 listens to %s", async (subject) => {
    const nc = await raw("h2");
    const said = await refusals(nc, () => nc.subscribe(subject, { callback: () => {} }));
    expect(said).toEqual([expect.stringContaining("Permissions Violation for Subscription")]);
  });

  test.each([
    "sb.build.h.h1.up.beat",
    "sb.build.h.h1.dn.beat",
    "sb.build.h.h2.dn.beat",
    "sb.build.log.batch",
    "sb.build.office",
    "$JS.API.STREAM.MSG.GET.SB_build_LOG",
    "$JS.API.STREAM.CREATE.MINE",
    "$JS.API.STREAM.PURGE.SB_build_LOG",
    "_INBOX_team.x",
  ])("refuse that h2 sends to %s", async (subject) => {
    const nc = await raw("h2");
    const said = await refusals(nc, () => nc.publish(subject, "{}"));
    expect(said).toEqual([expect.stringContaining("Permissions Violation for Publish")]);
  });

  test("let the team begin its log, write to it and read it", async () => {
    const place = { team: "build", servers: [nats.server.url] };
    const options = { ...place, credentials: files.credentials["team"]! };
    const first = await openNatsBus(join(directory, "first.db"), options);
    const message = makeMessage();
    await first.send(message);
    await first.close();
    const second = await openNatsBus(join(directory, "second.db"), options);
    onTestFinished(() => second.close());
    expect(await second.get(message.id)).toMatchObject({ message, state: "waiting" });
    expect(second.epoch).toBe(first.epoch + 1);
  });

  test("let no host open the team's log", async () => {
    const options = {
      team: "build",
      servers: [nats.server.url],
      credentials: files.credentials["h1"]!,
    };
    const opening = openNatsBus(join(directory, "h1.db"), options);
    await expect(opening).rejects.toMatchObject({ code: "bus_refused" });
  });

  test.each([
    "$JS.API.STREAM.CREATE.SB_other_LOG",
    "$JS.API.STREAM.MSG.GET.SB_other_LOG",
    "$JS.API.STREAM.DELETE.SB_build_LOG",
    "$JS.API.STREAM.PURGE.SB_build_LOG",
    "$JS.API.STREAM.UPDATE.SB_build_LOG",
    "$JS.API.STREAM.MSG.DELETE.SB_build_LOG",
    "sb.other.log.batch",
  ])("refuse that the team sends to %s", async (subject) => {
    const nc = await raw("team");
    const said = await refusals(nc, () => nc.publish(subject, "{}"));
    expect(said).toEqual([expect.stringContaining("Permissions Violation for Publish")]);
  });

  test("let in neither a wrong key, nor a connection without TLS or certificate, nor strangers' certificates", async () => {
    const other = await filesFor(join(directory, "other"), "build");
    const theirs = accessOf(nats.server.url, other.credentials["h1"]);
    const ours = accessOf(nats.server.url, files.credentials["h1"]);
    const refused = (access: object) => connectNats({ ...ours, ...access });
    await expect(refused({ seed: theirs.seed })).rejects.toMatchObject({ code: "bus_refused" });
    const failed = { code: "connection_failed" };
    await expect(refused({ tls: {} })).rejects.toMatchObject(failed);
    await expect(refused({ tls: { ca: ours.tls!.ca! } })).rejects.toMatchObject(failed);
    const strangers = { ...theirs.tls, ca: ours.tls!.ca! };
    await expect(refused({ tls: strangers })).rejects.toMatchObject(failed);
    // Nor does a machine talk to a server of another authority.
    const wary = { ...ours.tls, ca: theirs.tls!.ca! };
    await expect(refused({ tls: wary })).rejects.toMatchObject(failed);
  });

  test("have every secret in a file that only its owner can read, and none in the server's configuration or log", () => {
    const all = readdirSync(join(directory, "bus"), { recursive: true, encoding: "utf8" })
      .map((name) => join(directory, "bus", name))
      .filter((path) => statSync(path).isFile());
    const secret = all.filter((path) =>
      /PRIVATE KEY|\bSU[A-Z2-7]{56}\b/.test(readFileSync(path, "utf8")),
    );
    // Three users with a seed and a key each, the server, the authority, and the system account.
    expect(secret).toHaveLength(9);
    for (const path of secret) expect(statSync(path).mode & 0o777).toBe(0o600);
    const seeds = ["team", "h1", "h2"].map(
      (name) => readCredentials(files.credentials[name]!).seed,
    );
    const shown = readFileSync(join(files.server, "nats.conf"), "utf8") + nats.server.log;
    for (const seed of seeds) expect(shown).not.toContain(seed);
  });

  test("are never written over others", async () => {
    await expect(filesFor(join(directory, "bus"), "build")).rejects.toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining("is not empty"),
    });
  });
});
