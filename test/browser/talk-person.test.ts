import { deepStrictEqual } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { SessionClient } from "../../src/client/session-client.ts";
import { BrowserSession } from "./support/browser-session.ts";
import { startChromium } from "./support/chromium.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

// What a person has in hand in a conversation: pictures, settings, their place in the text, and what they hear.

const tale = Array.from({ length: 200 }, (_, at) => `Line ${at} of the tale.\\n\\n`).join("");
const script = `
rules:
  - when: { user: '/^tell (\\w+)/' }
    text: "${tale}End of $1."
    delta_delay_ms: 10
    delta_chars: 40
  - when: { user: look at it, tool_result: Read }
    text: I see a dot.
  - when: { user: look at it }
    tools: [{ name: Read, input: { file_path: "$WORK/dot.png" } }]
  - when: { user: touch it }
    times: 1
    tools: [{ name: Bash, input: { command: touch it } }]
default: { text: Very well. It is done. }
`;

/** A picture of one point. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let session: BrowserSession;
let browser: Browser;
let watched: WatchedPage;
let client: SessionClient;
let page: Page;
beforeAll(async () => {
  [session, browser] = await Promise.all([BrowserSession.start(script), startChromium()]);
  writeFileSync(join(session.work, "dot.png"), Buffer.from(dot, "base64"));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await session?.stop();
});
beforeEach(async () => {
  client = await session.client();
  watched = await WatchedPage.open(browser, await session.link());
  ({ page } = await watched.live());
  page.setDefaultTimeout(20_000);
  await log().waitFor();
});
afterEach(async () => {
  const { trouble } = watched;
  await watched[Symbol.asyncDispose]();
  await client.close();
  deepStrictEqual(trouble, quiet);
});

const log = (): Locator => page.getByRole("log");
const composer = (): Locator => page.locator("form textarea");
const picker = (name: string): Locator => page.getByRole("combobox", { name, exact: true });

/** Writes and sends as a person does. */
async function say(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press("Enter");
}

/** Gives a picture to the line that is written, as the browser does when a person pastes or drops one. */
const give = (how: "paste" | "drop"): Promise<void> =>
  composer().evaluate(
    (field, { kind, data }) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.codePointAt(0) ?? 0);
      const files = new DataTransfer();
      files.items.add(new File([bytes], `${kind}.png`, { type: "image/png" }));
      const common = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        kind === "paste"
          ? new ClipboardEvent("paste", { ...common, clipboardData: files })
          : new DragEvent("drop", { ...common, dataTransfer: files }),
      );
    },
    { kind: how, data: dot },
  );

/** The picture was drawn. */
const isDrawn = (picture: Locator): Promise<boolean> =>
  picture.evaluate(
    (each) =>
      each instanceof HTMLImageElement &&
      each.src.startsWith("blob:") &&
      each.complete &&
      each.naturalWidth === 1,
  );

test("pictures that are pasted and dropped go to the model, and are drawn from memory", async () => {
  const waiting = page.getByRole("list", { name: "Pictures to send" });
  await give("paste");
  await give("drop");
  await expect.poll(() => waiting.getByRole("img").count()).toBe(2);
  await waiting.getByRole("button", { name: "Remove drop.png" }).click();
  await expect.poll(() => waiting.getByRole("img").count()).toBe(1);
  await say("what is that?");
  await waiting.waitFor({ state: "detached" });
  await log().getByText("Very well. It is done.").last().waitFor();
  const picture = log().getByRole("article").last().getByRole("img");
  await expect.poll(() => isDrawn(picture)).toBe(true);
  const { events } = await client.history({ limit: 50 });
  const sent = events.findLast(({ type }) => type === "user_message");
  expect(sent?.type === "user_message" && sent.content).toMatchObject([
    { type: "image", source: { type: "base64", media_type: "image/png", data: dot } },
    { type: "text", text: "what is that?" },
  ]);
});

test("a picture that a tool has read is drawn in its card", async () => {
  await say("look at it");
  await log().getByText("I see a dot.").waitFor();
  const card = log().getByRole("group", { name: "Read", exact: true });
  await card.getByRole("button").first().click();
  await expect.poll(() => isDrawn(card.getByRole("img").first())).toBe(true);
});

test("model, effort and mode are chosen on the page, which shows what the session then has", async () => {
  await picker("Mode").selectOption("acceptEdits");
  await expect.poll(async () => (await client.status()).mode).toBe("acceptEdits");
  await expect.poll(() => picker("Mode").inputValue()).toBe("acceptEdits");
  const other = await picker("Model")
    .locator("option:not(:checked)")
    .evaluateAll((all) => all.map((each) => (each as HTMLOptionElement).value).find(Boolean));
  await picker("Model").selectOption(other ?? "");
  await expect.poll(() => picker("Model").inputValue()).toBe(other);
  const { models = [] } = client.choices;
  const chosen = models.find(({ id }) => id === other);
  await expect
    .poll(async () => [chosen?.id, chosen?.model].includes((await client.status()).model))
    .toBe(true);
  await picker("Effort").selectOption("high");
  await expect.poll(async () => (await client.status()).effort).toBe("high");
  await expect.poll(() => picker("Effort").inputValue()).toBe("high");
  // Somebody else's choice shows as well.
  await client.setMode("default");
  await expect.poll(() => picker("Mode").inputValue()).toBe("default");
});

test("the page says that the model is rehearsed, what a turn has used, and how full the context is", async () => {
  await page.locator("header").getByText("Rehearsed model").waitFor();
  await say("how much?");
  await expect
    .poll(() => log().locator("p").last().innerText())
    .toMatch(/completed\s+[\d.]+ s\s+[\d,]+ tokens\s+\$\d/);
  const meter = page.getByRole("meter", { name: /^Context/ });
  await expect
    .poll(async () => {
      const { context } = await client.status();
      const tokens = context?.tokens.toLocaleString("en");
      const words = `Context: ${tokens} of ${context?.window.toLocaleString("en")} tokens`;
      return (await meter.getAttribute("aria-label")) === words;
    })
    .toBe(true);
});

test("who reads further up stays there while an answer comes, and own words lead to the end", async () => {
  await say("tell one");
  await log().getByText("Line 40 of the tale.").waitFor();
  const place = (): Promise<number> => log().evaluate((each) => each.scrollTop);
  const isAtEnd = (): Promise<boolean> =>
    log().evaluate((each) => each.scrollHeight - each.scrollTop - each.clientHeight <= 48);
  expect(await isAtEnd()).toBe(true);
  await log().hover();
  await page.mouse.wheel(0, -600);
  const toEnd = page.getByRole("button", { name: /To the newest|new$/ });
  await toEnd.waitFor();
  const stayed = await place();
  await log().getByText("End of one.").waitFor({ state: "attached" });
  expect(await place()).toBe(stayed);
  await toEnd.click();
  await expect.poll(isAtEnd).toBe(true);
  await toEnd.waitFor({ state: "detached" });
  await log().hover();
  await page.mouse.wheel(0, -600);
  await toEnd.waitFor();
  await say("on");
  await expect.poll(isAtEnd).toBe(true);
});

test("a person who listens hears that an answer begins and how it ends, and calls at once, but no token", async () => {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(globalThis, { heard });
    for (const kind of ["polite", "assertive"]) {
      const place = document.querySelector(`[aria-live=${kind}]`);
      const note = (): void => {
        if (place?.textContent) heard.push(`${kind}: ${place.textContent}`);
      };
      if (place)
        new MutationObserver(note).observe(place, {
          childList: true,
          subtree: true,
          characterData: true,
        });
    }
  });
  const heard = (): Promise<string[]> =>
    page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard);
  expect(await log().getAttribute("aria-live")).toBe("off");
  await say("tell aloud");
  await log().getByText("End of aloud.").waitFor();
  await expect
    .poll(heard)
    .toEqual([
      "polite: Model begins to answer.",
      "polite: Model has answered: Line 0 of the tale.",
    ]);
  await say("touch it");
  await expect
    .poll(async () => (await heard()).at(-1))
    .toBe("assertive: Call from the session: Run a command");
  await client.abort();
  await log().locator("[data-call]").waitFor({ state: "detached" });
});
