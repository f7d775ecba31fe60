import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { noHarm, stateOf } from "./support/harmless.ts";
import { hostileTexts } from "./support/hostile-texts.ts";
import { pair } from "./support/teams.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

/** Each text as the model's words, its thoughts, a tool's input, its output and a file's name. */
const script = stringify({
  rules: [
    ...hostileTexts.map(({ name, text }) => ({
      when: { user: `say ${name}.` },
      thinking: text.slice(0, 20_000),
      text: `begin ${name}\n\n${text}\n\nend ${name}`,
      delta_chars: 4_000,
    })),
    ...hostileTexts.map(({ name, text }) => ({
      when: { user: `call ${name}.` },
      tools: [
        {
          name: "Bash",
          input: { command: `echo '${quoted(text)}'`, description: text.slice(0, 200) },
        },
        {
          name: "Write",
          input: { file_path: `/${text.slice(0, 100)}`, content: text.slice(0, 5_000) },
        },
        { name: "NoSuchTool", input: { __proto__: null, constructor: text.slice(0, 100) } },
      ],
    })),
    { when: { user: "/call (\\w+)/", tool_result: "/./" }, text: "after $1" },
  ],
  default: { text: "Very well." },
});

function quoted(text: string): string {
  return text.slice(0, 5_000).replaceAll("'", "").replaceAll("\0", "");
}

const harmless = { ...noHarm, ...quiet, loads: 1 };

let team: BrowserTeam;
let browser: Browser;
beforeAll(async () => {
  [team, browser] = await Promise.all([BrowserTeam.start(pair, script), startChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await team?.stop();
});

test("hostile words and thoughts of a model stay text", { timeout: 240_000 }, async () => {
  await using watched = await WatchedPage.open(browser, await team.link());
  await watched.live();
  await watched.visit("/talk");
  const log = watched.page.getByRole("log");
  await log.waitFor();
  await using client = await team.client();
  expect(hostileTexts).not.toEqual([]);
  for (const { name } of hostileTexts) {
    await client.request("send", { text: `say ${name}.` });
    await log.getByText(`end ${name}`).last().waitFor({ timeout: 30_000 });
    expect({ name, ...(await stateOf(watched)) }).toEqual({ name, ...harmless });
  }
});

test(
  "hostile tool calls stay text, in the conversation and on their tickets",
  { timeout: 240_000 },
  async () => {
    await using watched = await WatchedPage.open(browser, await team.link());
    await watched.live();
    await watched.visit("/talk");
    await using client = await team.client();
    await client.follow({ since: client.init.last_seq }, (item) => {
      if (item.type !== "approval_requested") return;
      const { request_id } = item.request;
      setTimeout(() => void client.request("deny", { request_id }).catch(() => undefined), 300);
    });
    for (const { name } of hostileTexts.slice(0, 12)) {
      await client.request("send", { text: `call ${name}.` });
      const log = watched.page.getByRole("log");
      await log.getByText(`after ${name}`).last().waitFor();
      expect({ name, ...(await stateOf(watched)) }).toEqual({ name, ...harmless });
    }
    await watched.visit("/calls");
    await watched.page.getByRole("table").waitFor();
    expect(await stateOf(watched)).toEqual(harmless);
  },
);
