import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { imageOf, looks, screens } from "./support/screens.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

// `npm run screenshots`: every view of the demo team in both themes and languages, wide and narrow, for the docs.

const root = resolve(import.meta.dirname, "../..");
const images = join(root, "docs/images");
const example = (path: string): string => readFileSync(join(root, "examples", path), "utf8");

const demo = parse(example("rehearsal/five-roles.yaml")) as { rules: object[] };
const script = stringify({
  ...demo,
  seed: 7,
  rules: [
    {
      when: { agent: "grand_boss", user: "/release/" },
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
    },
    ...demo.rules,
  ],
});

const team = await BrowserTeam.start(example("teams/five-roles.yaml"), script);
try {
  await play();
  await takeAll();
} finally {
  await team.stop();
}

/** The demo, and then a call that waits for a person. */
async function play(): Promise<void> {
  await team.cli("send", "a small program that greets people");
  await using client = await team.client();
  await client.request("send", { text: "Make a release of it." });
  for (;;) {
    const { approvals } = await client.request("approvals", {});
    if (approvals.length > 0) return;
    await delay(100);
  }
}

async function takeAll(): Promise<void> {
  rmSync(images, { recursive: true, force: true });
  mkdirSync(images, { recursive: true });
  const browser = await startChromium("--force-color-profile=srgb");
  try {
    for (const look of looks) {
      const height = look.width < 600 ? 844 : 900;
      await using watched = await WatchedPage.open(browser, await team.link(), { ...look, height });
      await watched.live();
      for (const screen of screens) {
        await watched.visit(screen.path);
        await watched.page.locator("main").waitFor();
        // Charts and pictures of the board are drawn a frame after their data.
        await delay(900);
        const cdp = await watched.cdp();
        const { data } = await cdp.send("Page.captureScreenshot", { format: "webp", quality: 75 });
        writeFileSync(join(images, imageOf(screen, look)), Buffer.from(data, "base64"));
      }
      if (JSON.stringify(watched.trouble) !== JSON.stringify(quiet)) console.error(watched.trouble);
    }
  } finally {
    await browser.close();
  }
}
