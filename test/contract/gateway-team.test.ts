import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { FakeTeam } from "../support/fake-team.ts";
import type { Keys } from "../support/gateway-stage.ts";
import { GatewayStage, viewer } from "../support/gateway-stage.ts";
import { webConnect } from "../../src/client/web-transport.ts";
import { TeamClient } from "../../src/team/core.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
`;

const clientOf = (stage: GatewayStage, { cookie, key }: Keys): Promise<TeamClient> =>
  TeamClient.open(
    webConnect({
      url: `ws://${stage.host}/ws/team`,
      key,
      open: (url, protocols) =>
        new WebSocket(url, protocols, { origin: stage.origin, headers: { cookie } }),
    }),
  );

test("[GW-4] a team hears the name of the signed-in person, whatever the page says, and refuses viewers", async () => {
  const team = await FakeTeam.up(yaml, {
    boss: (said, self) => self.askLeave("Bash", { command: said }),
  });
  const target = { kind: "team", socket: controlSocket(team.stateDir) } as const;
  const stage = await GatewayStage.start({ target });
  const keys = await stage.signIn();
  const page = await stage.browse("/ws/team", keys).opened();
  page.socket.send('{"jsonrpc":"2.0","id":7,"method":"hello","params":{"client":"eve"}}');
  await expect
    .poll(() => page.texts.map((text) => JSON.parse(text) as unknown))
    .toContainEqual(
      expect.objectContaining({
        id: 7,
        error: expect.objectContaining({
          data: expect.objectContaining({ code: "not_allowed", client: "anna" }),
        }),
      }),
    );
  await using anna = await clientOf(stage, keys);
  await anna.request("send", { text: "run it" });
  const { request } = await team.until("approval_requested");
  const request_id = request.request_id;
  await using bob = await clientOf(stage, await stage.signIn(viewer));
  expect(bob.init).toMatchObject({ read_only: true });
  await expect(bob.request("approve", { request_id })).rejects.toMatchObject({ code: "read_only" });
  await anna.request("approve", { request_id });
  expect(await team.until("approval_resolved")).toMatchObject({ outcome: "allowed", by: "anna" });
});
