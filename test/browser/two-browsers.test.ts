import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { pair, script } from "./support/teams.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

let team: BrowserTeam;
let browser: Browser;
beforeAll(async () => {
  [team, browser] = await Promise.all([BrowserTeam.start(pair, script), startChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await team?.stop();
});

async function at(path: string, ...flags: string[]): Promise<WatchedPage> {
  const watched = await WatchedPage.open(browser, await team.link(...flags));
  await watched.live();
  await watched.visit(path);
  return watched;
}

const allowOnce = (watched: WatchedPage) =>
  watched.page
    .locator("[data-call]")
    .getByRole("button", { name: /Allow once/ })
    .first();

async function ask(text: string): Promise<void> {
  await using client = await team.client();
  await client.request("send", { text });
}

test("what one person decides is gone at the other one's, with the name of who did", async () => {
  await using anna = await at("/calls", "--name", "anna");
  await using bob = await at("/calls", "--name", "bob");
  await ask("touch one");
  await allowOnce(anna).waitFor();
  await allowOnce(bob).waitFor();
  // A ticket is asleep until it has been in view for a moment.
  await bob.page.waitForTimeout(700);
  await allowOnce(bob).click();
  await allowOnce(anna).waitFor({ state: "detached" });
  await anna.page.getByText(/bob/).first().waitFor();
  expect(anna.trouble).toEqual(quiet);
  expect(bob.trouble).toEqual(quiet);
});

test("of two who click at the same time one decides, and the other is told who did", async () => {
  await using anna = await at("/calls", "--name", "anna");
  await using bob = await at("/calls", "--name", "bob");
  await using watching = await team.client();
  const decided: string[] = [];
  await watching.follow({ since: watching.init.last_seq }, (item) => {
    if (item.type === "approval_resolved") decided.push(item.by ?? "");
  });
  await ask("touch two");
  await Promise.all([allowOnce(anna).waitFor(), allowOnce(bob).waitFor()]);
  await anna.page.waitForTimeout(700);
  await Promise.all([allowOnce(anna).click(), allowOnce(bob).click()]);
  await expect.poll(() => decided.length).toBe(1);
  const [by = ""] = decided;
  for (const each of [anna, bob]) {
    await allowOnce(each).waitFor({ state: "detached" });
    await each.page.getByText(new RegExp(by)).first().waitFor();
    expect(each.trouble).toEqual(quiet);
  }
  expect(decided).toHaveLength(1);
});

test("a viewer has no button that acts, and what a forged page of theirs sends is refused", async () => {
  await using viewer = await at("/calls", "--viewer", "--name", "carl", "--for", "1h");
  await ask("touch three");
  const ticket = viewer.page.locator("[data-call]").first();
  await ticket.waitFor();
  await viewer.page.waitForTimeout(700);
  expect(await ticket.getByRole("button", { name: /Allow|Deny|Always|session/ }).count()).toBe(0);
  await viewer.visit("/talk");
  await viewer.page.getByRole("log").waitFor();
  expect(await viewer.page.locator("form textarea").count()).toBe(0);
  await using client = await team.client();
  const [open] = (await client.request("approvals", {})).approvals;
  const request_id = open?.request.request_id ?? "";
  expect(request_id).not.toBe("");
  const answers = await viewer.page.evaluate(async (id) => {
    const key = localStorage.getItem("switchboard.key") ?? "";
    const say = (path: string, line: object) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`ws://${location.host}${path}`, [
          "switchboard.1",
          `sb.${key}`,
        ]);
        const heard: string[] = [];
        socket.addEventListener("open", () => socket.send(JSON.stringify(line)));
        socket.addEventListener("message", ({ data }) => heard.push(String(data)));
        socket.addEventListener("close", () => resolve(heard.join("\n")));
        setTimeout(() => socket.close(), 1_500);
      });
    const approve = {
      jsonrpc: "2.0",
      id: 1,
      method: "approve",
      params: { request_id: id, role: "owner" },
    };
    const send = { type: "user_message", id: "forged", text: "touch four", ref: "r" };
    const respond = { type: "respond", request_id: id, behavior: "allow", ref: "r" };
    return [
      await say("/ws/team", approve),
      await say("/ws/agents/boss", send),
      await say("/ws/agents/boss", respond),
      String(
        (
          await fetch("/auth/links", {
            method: "POST",
            headers: { "x-switchboard-key": key },
            body: '{"role":"owner"}',
          })
        ).status,
      ),
    ];
  }, request_id);
  for (const answer of answers.slice(0, 3)) expect(answer).toContain("read_only");
  expect(answers[3]).toBe("403");
  expect((await client.request("approvals", {})).approvals).toHaveLength(1);
  await client.request("approve", { request_id });
  expect(viewer.complaints.filter((text) => !text.includes("403"))).toEqual([]);
  expect(viewer.pageErrors).toEqual([]);
});
