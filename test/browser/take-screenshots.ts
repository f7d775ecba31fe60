import type { Browser } from "playwright-core";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { BrowserSession } from "./support/browser-session.ts";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import type { Screen } from "./support/screens.ts";
import { imageOf, looks, placesOf, sessionScreens, teamScreens } from "./support/screens.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

// `npm run screenshots`: every view of the demo team and of a single session, in both themes and languages, wide and
// narrow, for the docs.

const root = resolve(import.meta.dirname, "../..");
const images = join(root, "docs/images");
const example = (path: string): string => readFileSync(join(root, "examples", path), "utf8");

const release = {
  thinking: "A release is not mine to decide alone.",
  text: "The program is **ready**. I make the release, if you agree:\n\n1. run the tests once more\n2. write the tag",
  tools: [
    {
      name: "Bash",
      input: {
        command: "node --test && git tag -a v1.0.0 -m 'greet 1.0.0'",
        description: "Test the program, then tag the release",
      },
    },
  ],
};
const demo = parse(example("rehearsal/five-roles.yaml")) as { rules: object[] };
const teamScript = stringify({
  ...demo,
  seed: 7,
  rules: [{ when: { agent: "grand_boss", user: "/release/" }, ...release }, ...demo.rules],
});
const sessionScript = stringify({
  seed: 7,
  rules: [
    { when: { user: "/release/" }, ...release },
    {
      when: { user: "/\\S/" },
      text: 'It greets by name:\n\n```js\nexport function greet(name = "world") {\n  return `Hello, $${name}!`;\n}\n```\n\nWithout a name it greets the world.',
    },
  ],
});

/** Pictures show paths in it, so its name is short and always the same. */
const place = join(tmpdir(), "demo");

// It may be somebody's: nothing is removed before it is ours.
mkdirSync(place);
rmSync(images, { recursive: true, force: true });
mkdirSync(images, { recursive: true });
const browser = await startChromium("--force-color-profile=srgb");
try {
  await takeTeam();
  await takeSession();
} finally {
  await browser.close();
  rmSync(place, { recursive: true, force: true });
}

/** The demo, and then a call that waits for a person. */
async function takeTeam(): Promise<void> {
  const home = join(place, "team");
  mkdirSync(home);
  const team = await BrowserTeam.start(example("teams/five-roles.yaml"), teamScript, home);
  try {
    await team.cli("send", "a small program that greets people");
    await using client = await team.client();
    await client.request("send", { text: "Make a release of it." });
    const places = await placesOf(client, "coding_specialist");
    await takeAll(browser, teamScreens, places, () => team.link());
  } finally {
    await team.stop();
  }
}

async function takeSession(): Promise<void> {
  const home = join(place, "session");
  mkdirSync(home);
  const session = await BrowserSession.start(sessionScript, { root: home });
  try {
    const call = await session.callAfter(["What does greet.mjs do?", "Make a release of it."]);
    await takeAll(browser, sessionScreens, { call }, () => session.link());
  } finally {
    await session.stop();
  }
}

async function takeAll<Places>(
  on: Browser,
  screens: readonly Screen<Places>[],
  places: Places,
  link: () => Promise<string>,
): Promise<void> {
  for (const look of looks) {
    const height = look.width < 600 ? 844 : 900;
    await using watched = await WatchedPage.open(on, await link(), { ...look, height });
    await watched.live();
    const cdp = await watched.cdp();
    for (const { name, path } of screens) {
      await watched.visit(path(places));
      await watched.page.locator("main").waitFor();
      // Charts and pictures of the board are drawn a frame after their data.
      await delay(700);
      // The keys of a call that has moved are asleep for a moment, and look so.
      const asleep = watched.page.locator("[data-call] button[aria-disabled=true]");
      await asleep.first().waitFor({ state: "detached" });
      const moved = await watched.page.evaluate(framesThatScroll);
      if (moved.length > 0) fail(`${imageOf(name, look)}: ${moved.join(", ")}`);
      const { data } = await cdp.send("Page.captureScreenshot", { format: "webp", quality: 65 });
      writeFileSync(join(images, imageOf(name, look)), Buffer.from(data, "base64"));
    }
    if (JSON.stringify(watched.trouble) !== JSON.stringify(quiet)) {
      fail(JSON.stringify(watched.trouble));
    }
  }
}

function fail(what: string): void {
  console.error(what);
  process.exitCode = 1;
}

/** In the page: what must not scroll, and does. The frame never does, nor does a view whose conversation scrolls by itself. */
function framesThatScroll(): string[] {
  const html = document.documentElement;
  const main = document.querySelector("main") ?? html;
  const isTall = html.scrollHeight > html.clientHeight;
  const isWide = html.scrollWidth > html.clientWidth || main.scrollWidth > main.clientWidth;
  const scrollsTwice =
    main.querySelector("[role=log]") !== null && main.scrollHeight > main.clientHeight;
  return [
    ...(isTall ? ["the frame is higher than the screen"] : []),
    ...(isWide ? ["something is wider than its room"] : []),
    ...(scrollsTwice ? ["the view scrolls around its conversation"] : []),
  ];
}
