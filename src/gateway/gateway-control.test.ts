import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { channel } from "../net/channel.ts";
import { jsonLines } from "../net/codec.ts";
import { dial } from "../net/connect-with-retries.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { GatewayStage, keysOf, tokenOf } from "../../test/support/gateway-stage.ts";
import { GatewayControl } from "./control/gateway-control.ts";

async function start(): Promise<{ stage: GatewayStage; control: GatewayControl }> {
  const stage = await GatewayStage.start();
  const control = await GatewayControl.open(stage.stateDir);
  if (!control) throw new Error("no gateway runs");
  onTestFinished(() => control[Symbol.asyncDispose]());
  return { stage, control };
}

test("[GW-17] `GatewayControl` makes links: an owner's has the maker's name, a viewer's ends when it was said", async () => {
  const { stage, control } = await start();
  expect(control.hello).toEqual({
    type: "gateway",
    origin: stage.origin,
    serves: "session",
    pid: process.pid,
  });
  const mine = await control.makeLink({ maker: "anna", role: "owner" });
  expect(mine.link).toMatchObject({ name: "anna", role: "owner", state: "open" });
  const entered = await stage.enter(tokenOf(mine.url));
  expect(JSON.parse(entered.body)).toMatchObject({ name: "anna", role: "owner" });
  const hour = { maker: "anna", role: "viewer", name: "bob", for_ms: 3_600_000 } as const;
  const { url, link } = await control.makeLink(hour);
  expect(Date.parse(link.expires_at) - Date.parse(link.made_at)).toBe(3_600_000);
  expect(JSON.parse((await stage.enter(tokenOf(url))).body)).toMatchObject({
    name: "bob",
    role: "viewer",
  });
  expect((await control.makeLink({ maker: "anna" })).link.name).toBe("viewer of anna");
});

test("`GatewayControl` lists what is open and who is in, and takes both back at once", async () => {
  const { stage, control } = await start();
  const { url } = await control.makeLink({ maker: "anna", role: "owner" });
  const keys = keysOf(await stage.enter(tokenOf(url)));
  const open = await control.makeLink({ maker: "anna", name: "bob" });
  const links = await control.links();
  expect(links.map(({ name, state }) => [name, state])).toEqual([
    ["anna", "used"],
    ["bob", "open"],
  ]);
  const [signedIn] = links;
  expect((await stage.askAs(keys, "/auth/me")).status).toBe(200);
  await control.unlink(signedIn?.id ?? "");
  expect((await stage.askAs(keys, "/auth/me")).status).toBe(401);
  await control.unlink(open.link.id);
  expect((await stage.enter(tokenOf(open.url))).status).toBe(401);
  expect(await control.links()).toEqual([]);
  await expect(control.unlink("0123")).rejects.toMatchObject({
    code: "invalid_params",
    hint: expect.stringContaining("switchboard web links"),
  });
});

test("[GW-17] the control socket is its user's alone, and answers what it does not understand with an error", async () => {
  const { stage, control } = await start();
  const path = join(stage.stateDir, "gateway.sock");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(control.makeLink({ maker: "anna", name: "policy 1" })).rejects.toMatchObject({
    code: "invalid_params",
  });
  await using lines = channel(await dial(path), jsonLines);
  await lines.send({ type: "open_the_door" });
  await lines.send({ type: "make_link", maker: "anna", for_ms: 1 });
  const answers: unknown[] = [];
  for await (const line of lines) if (line.ok && answers.push(line.value) === 3) break;
  expect(answers).toMatchObject([
    { type: "gateway" },
    { type: "error" },
    { type: "error", code: "invalid_params" },
  ]);
  // Neither made a link.
  expect(await control.links()).toEqual([]);
});

test("`GatewayControl.open` finds nothing where no gateway runs, also when one has run", async () => {
  expect(await GatewayControl.open(tempDir())).toBeUndefined();
  const stage = await GatewayStage.start();
  await stage.gateway.close();
  expect(await GatewayControl.open(stage.stateDir)).toBeUndefined();
});
