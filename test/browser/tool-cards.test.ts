import { deepStrictEqual } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { SessionClient } from "../../src/client/session-client.ts";
import { BrowserSession } from "./support/browser-session.ts";
import { startChromium } from "./support/chromium.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

// How the calls of the real CLI look in a conversation, each by its tool.

const steps = String.raw`printf '\033[31mred %s\033[0m\n' one; until [ -e go ]; do sleep 0.1; done; echo last`;
const script = `
rules:
  - when: { user: run it }
    tools: [{ name: Bash, input: { command: ${JSON.stringify(steps)}, description: Prints in steps } }]
  - when: { user: look around }
    tools:
      - { name: Read, input: { file_path: "$WORK/notes.txt" } }
  - when: { user: change it, tool_result: Read }
    tools:
      - { name: Edit, input: { file_path: "$WORK/notes.txt", old_string: harbour, new_string: haven } }
      - { name: Write, input: { file_path: "$WORK/new.txt", content: "one\\ntwo\\n" } }
  - when: { user: change it }
    times: 1
    tools: [{ name: Read, input: { file_path: "$WORK/notes.txt" } }]
  - when: { user: ask around }
    times: 1
    tools:
      - { name: Agent, input: { description: count the boats, prompt: sub-agent, subagent_type: general-purpose } }
  - when: { user: sub-agent }
    times: 1
    tools: [{ name: Bash, input: { command: echo seven boats } }]
  - when: { user: sub-agent, tool_result: Bash }
    text: There are seven.
  - when: { user: plan it }
    times: 1
    tools:
      - { name: TodoWrite, input: { todos: [{ content: look, status: completed, activeForm: looking }, { content: leap, status: in_progress, activeForm: leaping }] } }
  - when: { user: fail }
    times: 1
    tools: [{ name: Bash, input: { command: echo bad >&2; exit 3 } }]
default: { text: That is all. }
`;

let session: BrowserSession;
let browser: Browser;
let watched: WatchedPage;
let client: SessionClient;
beforeAll(async () => {
  // The newest models have no list of things to do.
  const flags = [
    "--model",
    "claude-sonnet-4-5",
    "--permission-mode",
    "acceptEdits",
    "--allowed-tools",
    "Bash",
  ];
  const env = { CLAUDE_CODE_ENABLE_TASKS: "0" };
  [session, browser] = await Promise.all([
    BrowserSession.start(script, { flags, env }),
    startChromium(),
  ]);
  writeFileSync(join(session.work, "notes.txt"), "the\nharbour\nlies\n");
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await session?.stop();
});
beforeEach(async () => {
  client = await session.client();
  watched = await WatchedPage.open(browser, await session.link());
  await watched.live();
  watched.page.setDefaultTimeout(20_000);
  await log().waitFor();
});
afterEach(async () => {
  const { trouble } = watched;
  await watched[Symbol.asyncDispose]();
  await client.close();
  deepStrictEqual(trouble, quiet);
});

/** The number of the newest event that the page shows. */
const shown = async (): Promise<number> =>
  Number(
    (await watched.page.locator("footer").innerText())
      .match(/event ([\d,]+)/)?.[1]
      ?.replace(",", ""),
  );

/** The model has answered, and the page shows it. */
async function say(text: string): Promise<void> {
  const { id } = await client.send(text);
  const isOver = async (): Promise<boolean> =>
    (await client.history({ limit: 100 })).events.some(
      (event) => event.type === "done" && event.messages.includes(id),
    );
  await expect.poll(isOver).toBe(true);
  const { last_seq: seq } = await client.status();
  await expect.poll(shown).toBeGreaterThanOrEqual(seq);
}

/** The words of a card in one line. */
const rows = async (of: Locator): Promise<string> => (await of.innerText()).replaceAll(/\s+/g, " ");

const log = (): Locator => watched.page.getByRole("log");

/** The newest card of this tool. */
const card = (tool: string): Locator =>
  log().getByRole("group", { name: tool, exact: true }).last();

const head = (of: Locator): Locator => of.locator("button[aria-expanded]").first();

async function open(of: Locator): Promise<void> {
  await of.waitFor();
  if ((await head(of).getAttribute("aria-expanded")) !== "true") await head(of).click();
}

test("the card of a command shows what it prints while it runs, in its colours, and its end", async () => {
  await client.send("run it");
  const bash = card("Bash");
  const output = bash.locator("pre");
  await output.getByText("red one").waitFor();
  expect(await head(bash).innerText()).toMatch(/runs/);
  const [red, plain] = await output.evaluate((box) => {
    const span = [...box.querySelectorAll("span")].find(
      (each) => each.children.length === 0 && each.textContent === "red one",
    );
    return [getComputedStyle(span ?? box).color, getComputedStyle(box).color];
  });
  expect(red).not.toBe(plain);
  expect(await output.innerText()).not.toContain("last");
  writeFileSync(join(session.work, "go"), "");
  await expect.poll(() => head(bash).innerText(), { timeout: 20_000 }).not.toMatch(/runs/);
  await open(bash);
  await bash.getByText("Prints in steps").waitFor();
  expect(await bash.innerText()).toMatch(/red one\s+last/);
});

test("the card of a file that was read names it, and shows it when it is opened", async () => {
  await say("look around");
  expect(await head(card("Read")).innerText()).toContain("notes.txt");
  expect(await card("Read").innerText()).not.toContain("lies");
  await open(card("Read"));
  await card("Read").getByRole("group", { name: "Result" }).getByText("lies").waitFor();
});

test("the cards of tools that write show the change as lines with their numbers", async () => {
  await say("change it");
  const edit = card("Edit");
  expect(await head(edit).innerText()).toMatch(/notes\.txt[^]*\+1 −1/);
  expect(await rows(edit)).toMatch(/2 [-−] ?harbour 2 \+ ?haven/);
  expect(await rows(card("Write"))).toMatch(/new file 1 \+ ?one 2 \+ ?two/);
  expect(readFileSync(join(session.work, "notes.txt"), "utf8")).toBe("the\nhaven\nlies\n");
});

test("the card of a sub-agent has the calls that it made inside, as a tree, and its report", async () => {
  await say("ask around");
  const agent = card("Agent");
  expect(await head(agent).innerText()).toContain("count the boats");
  await open(agent);
  const inside = agent.getByRole("group", { name: "Steps of the sub-agent" });
  const bash = inside.getByRole("group", { name: "Bash", exact: true });
  expect(await head(bash).innerText()).toContain("echo seven boats");
  await open(bash);
  await bash.getByText("seven boats", { exact: true }).waitFor();
  await inside.getByText("There are seven.").waitFor();
  // Nothing of it stands beside the card.
  expect(await log().getByRole("group", { name: "Bash", exact: true }).count()).toBe(2);
});

test("the list of things to do stands in its card, and above the conversation", async () => {
  await say("plan it");
  const items = card("TodoWrite").getByRole("listitem");
  expect(
    await items.evaluateAll((all) => all.map((each) => each.getAttribute("data-status"))),
  ).toEqual(["completed", "in_progress"]);
  expect(await items.allInnerTexts()).toEqual([
    expect.stringContaining("look"),
    expect.stringContaining("leap"),
  ]);
  await watched.page.getByText("To do 1/2 · leaping").waitFor();
});

test("the card of a command that fails is open, and says so", async () => {
  await say("fail");
  const bash = card("Bash");
  expect(await head(bash).getAttribute("aria-expanded")).toBe("true");
  expect(await head(bash).innerText()).toMatch(/failed/);
  expect(await bash.innerText()).toContain("bad");
});
