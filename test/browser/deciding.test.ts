import { deepStrictEqual } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { SessionClient } from "../../src/client/session-client.ts";
import type { SessionEventOf } from "../../src/wire/index.ts";
import { BrowserSession } from "./support/browser-session.ts";
import { startChromium } from "./support/chromium.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

const longCommand = Array.from({ length: 120 }, (_, at) => `touch long-${at}`).join("\\n");
const script = `
rules:
  - when: { tool_result: { name: Bash, is_error: true }, user: '/^touch/' }
    text: "Then not: \${tool_result}"
  - when: { tool_result: Bash }
    text: That is done.
  - when: { user: '/^write at length/' }
    tools:
      - { name: Bash, input: { command: "${longCommand}" } }
  - when: { user: '/^touch (\\w+)/' }
    tools:
      - { name: Bash, input: { command: "touch $1" } }
  - when: { tool_result: AskUserQuestion }
    text: "You said: \${tool_result}"
  - when: { user: ask me }
    tools:
      - name: AskUserQuestion
        input:
          questions:
            - question: Which colour?
              header: Colour
              multiSelect: false
              options:
                - { label: Red, description: like fire }
                - { label: Blue, description: like water }
            - question: Which sizes?
              header: Sizes
              multiSelect: true
              options:
                - { label: Small, description: for pockets }
                - { label: Middle, description: for bags }
                - { label: Large, description: for cars }
            - question: Which name?
              header: Name
              multiSelect: false
              options:
                - { label: Ada, description: after Ada }
                - { label: Bob, description: after Bob }
  - when: { tool_result: ExitPlanMode }
    text: I go on.
  - when: { user: make a plan }
    tools:
      - { name: ExitPlanMode, input: { plan: "1. look\\n2. leap" } }
default: { text: Very well. }
`;

let session: BrowserSession;
let browser: Browser;
let watched: WatchedPage;
let client: SessionClient;
beforeAll(async () => {
  const timeout = ["--approval-timeout-ms", "120000"];
  // Plan mode would else go on by itself.
  const settings = ["--settings", JSON.stringify({ useAutoModeDuringPlan: false })];
  [session, browser] = await Promise.all([
    BrowserSession.start(script, { flags: [...timeout, ...settings] }),
    startChromium(),
  ]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await session?.stop();
});
beforeEach(async () => {
  client = await session.client();
  watched = await WatchedPage.open(browser, await session.link());
  await watched.live();
  await watched.page.getByRole("log").waitFor();
  watched.page.setDefaultTimeout(20_000);
});
afterEach(async () => {
  deepStrictEqual(watched.trouble, quiet);
  await watched[Symbol.asyncDispose]();
  await client.close();
});

/** Says something that makes the model ask; gives the ticket in the conversation when its buttons are awake. */
async function ticketOf(text: string): Promise<Locator> {
  await client.send(text);
  const ticket = watched.page.getByRole("log").locator("[data-call]");
  await ticket.waitFor();
  await ticket.locator("button:not([aria-disabled])").first().waitFor();
  return ticket;
}

const button = (ticket: Locator, name: RegExp) => ticket.getByRole("button", { name });

/** Presses a button of a ticket that decides; gives what the log says of it. */
async function decide(
  ticket: Locator,
  press: () => Promise<void>,
): Promise<SessionEventOf<"approval_resolved">> {
  const id = await ticket.getAttribute("data-call");
  await press();
  await ticket.waitFor({ state: "detached" });
  const { events } = await client.history({ limit: 100 });
  for (const event of events) {
    if (event.type === "approval_resolved" && event.request_id === id) return event;
  }
  throw new Error("It was not decided.");
}

const decideBy = (ticket: Locator, name: RegExp) =>
  decide(ticket, () => button(ticket, name).click());

const said = (text: string | RegExp) => watched.page.getByRole("log").getByText(text).last();
const made = (file: string): boolean => existsSync(join(session.work, file));

test("allowed once, for the session and for always: the rule on screen is the one that the settings get", async () => {
  const once = await ticketOf("touch once");
  expect(await decideBy(once, /^Allow once/)).toMatchObject({ outcome: "allowed", scope: "once" });
  await said("That is done.").waitFor();
  expect(made("once")).toBe(true);

  const longer = await ticketOf("touch session");
  expect(await decideBy(longer, /^For this session/)).toMatchObject({
    outcome: "allowed",
    scope: "session",
  });
  await expect.poll(() => made("session")).toBe(true);

  const always = await ticketOf("touch always");
  const scope = always.locator("dl > div").filter({ has: watched.page.getByText(/^Always$/) });
  // The directory beside it is for the session alone.
  const written = scope.locator("dd").filter({ hasText: ".claude/settings.local.json" });
  const rule = await written.locator("code").innerText();
  expect(await decideBy(always, /^Always/)).toMatchObject({ outcome: "allowed", scope: "always" });
  await expect.poll(() => made("always")).toBe(true);
  const file = join(session.work, ".claude/settings.local.json");
  const settings = JSON.parse(readFileSync(file, "utf8")) as unknown;
  expect(settings).toEqual({ permissions: { allow: [rule] } });
});

test("an edited command runs in place of the model's, and a denial reaches the model with its reason", async () => {
  const change = await ticketOf("touch asked");
  await button(change, /^Change first/).click();
  await change.getByRole("textbox", { name: "Command" }).fill("touch edited");
  expect(await decideBy(change, /with this change/)).toMatchObject({
    updated_input: { command: "touch edited" },
  });
  await expect.poll(() => made("edited")).toBe(true);
  expect(made("asked")).toBe(false);

  const deny = await ticketOf("touch denied");
  await button(deny, /^Deny/).click();
  await deny.getByRole("textbox", { name: /Reason/ }).fill("Not on a Sunday.");
  const { outcome, reason } = await decideBy(deny, /^Deny$/);
  expect({ outcome, reason }).toEqual({ outcome: "denied", reason: "Not on a Sunday." });
  await said(/Then not: .*Not on a Sunday\./).waitFor();
  expect(made("denied")).toBe(false);
});

test("a long command stands whole on its ticket, and the button says how much of it was not seen", async () => {
  const ticket = await ticketOf("write at length");
  const shown = ticket.getByRole("group", { name: "What will happen" });
  expect(await shown.innerText()).toContain("touch long-119");
  const unseen = ticket.getByText(/lines not seen yet/);
  await unseen.waitFor();
  await shown.evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await unseen.waitFor({ state: "detached" });
  await button(ticket, /^Deny/).click();
  expect(await decideBy(ticket, /^Deny$/)).toMatchObject({ outcome: "denied" });
});

test("a question is answered with one option, with several, and in own words", async () => {
  const ticket = await ticketOf("ask me");
  const group = (name: RegExp) => ticket.getByRole("group", { name });
  await group(/Which colour/)
    .getByRole("radio", { name: /Red/ })
    .check();
  await group(/Which colour/)
    .getByRole("radio", { name: /Blue/ })
    .check();
  await group(/Which sizes/)
    .getByRole("checkbox", { name: /Small/ })
    .check();
  await group(/Which sizes/)
    .getByRole("checkbox", { name: /Large/ })
    .check();
  await button(ticket, /^Answer/).click();
  // One is open.
  await ticket.getByRole("alert").getByText("Not answered yet: Which name?").waitFor();
  await group(/Which name/)
    .getByRole("radio", { name: /Ada/ })
    .check();
  await group(/Which name/)
    .getByRole("textbox")
    .fill("Grace, of course");
  expect(await decideBy(ticket, /^Answer/)).toMatchObject({
    outcome: "allowed",
    answers: {
      "Which colour?": "Blue",
      "Which sizes?": ["Small", "Large"],
      "Which name?": "Grace, of course",
    },
  });
  const words = await said(/You said:/).innerText();
  for (const each of ["Blue", "Small", "Large", "Grace, of course"]) expect(words).toContain(each);
  for (const each of ["Red", "Middle", "Ada"]) expect(words).not.toContain(each);
});

test("a plan can be read, edited and approved", async () => {
  await client.setMode("plan");
  const ticket = await ticketOf("make a plan");
  await ticket.getByText("2. leap").waitFor();
  await button(ticket, /^Change first/).click();
  const field = ticket.getByRole("textbox", { name: "Plan" });
  expect(await field.inputValue()).toBe("1. look\n2. leap");
  await field.fill("1. look\n2. look again");
  await ticket.getByRole("radio", { name: /ask before each change/ }).check();
  expect(await decideBy(ticket, /^Go on with the plan/)).toMatchObject({
    outcome: "allowed",
    plan: "1. look\n2. look again",
  });
  await said("I go on.").waitFor();
});

test("more time moves the countdown, and the call can be decided afterwards", async () => {
  const ticket = await ticketOf("touch held");
  const seconds = async (): Promise<number> => {
    const text = await ticket.getByText(/denies itself in/).innerText();
    const [, minutes = "", rest = ""] = /(\d+):(\d\d)/.exec(text) ?? [];
    return Number(minutes) * 60 + Number(rest);
  };
  expect(await seconds()).toBeLessThanOrEqual(120);
  expect(await seconds()).toBeGreaterThan(30);
  await button(ticket, /^More time/).click();
  await button(ticket, /^30 min/).click();
  await expect.poll(seconds).toBeGreaterThan(29 * 60);
  expect(await seconds()).toBeLessThanOrEqual(30 * 60);
  expect(await decideBy(ticket, /^Allow once/)).toMatchObject({ outcome: "allowed" });
});

interface Moments {
  came?: number;
  readonly keys: number[];
  sent?: number;
}

/** Notes, in the page, when the next ticket came, each key press, and when the page said yes. Gives the ticket the focus. */
async function watchMoments(): Promise<() => Promise<Moments>> {
  const { page } = watched;
  await page.evaluate(() => {
    const moments: Moments = { keys: [] };
    Object.assign(globalThis, { moments });
    const look = new MutationObserver(() => {
      const ticket = document.querySelector<HTMLElement>('[role="log"] [data-call]');
      if (ticket === null || moments.came !== undefined) return;
      moments.came = performance.now();
      ticket.focus();
    });
    look.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("keydown", () => moments.keys.push(performance.now()), true);
    const send: (this: WebSocket, data: string) => void = Reflect.get(WebSocket.prototype, "send");
    WebSocket.prototype.send = function sendNoted(this: WebSocket, data: unknown) {
      if (typeof data === "string") {
        if (data.includes('"approve"')) moments.sent ??= performance.now();
        send.call(this, data);
      }
    };
  });
  return () => page.evaluate(() => (globalThis as unknown as { moments: Moments }).moments);
}

test("the letters of a ticket do nothing without the focus, and nothing for 400 ms after it came", async () => {
  const { page } = watched;
  const other = await ticketOf("touch unfocused");
  await page.getByRole("log").focus();
  await page.keyboard.press("y");
  await page.waitForTimeout(200);
  expect(await other.count()).toBe(1);
  await decideBy(other, /^Allow once/);
  await said("That is done.").waitFor();

  const moments = await watchMoments();
  await client.send("touch awake");
  // Somebody's finger is on the key all the time.
  await expect
    .poll(
      async () => {
        await page.keyboard.press("y");
        return made("awake");
      },
      { interval: 10 },
    )
    .toBe(true);
  const { came = Infinity, keys, sent = 0 } = await moments();
  expect(keys.filter((at) => at > came && at < came + 300).length).toBeGreaterThan(0);
  expect(sent - came).toBeGreaterThanOrEqual(400);
});
