import { expect, test } from "vitest";
import { BrowserTeam } from "./support/browser-team.ts";
import { startChromium } from "./support/chromium.ts";
import { PlainFront } from "./support/plain-front.ts";
import { pair, script } from "./support/teams.ts";
import { quiet, WatchedPage } from "./support/watched-page.ts";

test(
  "TeamClient and SessionClient work in a browser without a secure context, under a policy that forbids eval",
  { timeout: 120_000 },
  async () => {
    const browser = await startChromium(...PlainFront.chromiumArgs);
    const team = await BrowserTeam.start(pair, script);
    try {
      const link = new URL(await team.link());
      await using front = await PlainFront.before(link.origin);
      const entry = `${front.origin}${link.pathname}${link.search}${link.hash}`;
      await using watched = await WatchedPage.open(browser, entry);
      const { page } = await watched.live();
      expect(
        await page.evaluate(() => ({
          isSecure: isSecureContext,
          uuid: typeof crypto.randomUUID,
          subtle: typeof crypto.subtle,
        })),
      ).toEqual({ isSecure: false, uuid: "undefined", subtle: "undefined" });
      const answer = await page.request.get(front.origin);
      expect(answer.headers()["content-security-policy"]).toContain("script-src 'self'");
      expect(answer.headers()["content-security-policy"]).not.toContain("unsafe-eval");

      await watched.visit("/talk");
      await page.getByRole("textbox").first().fill("tell plainly");
      await page.keyboard.press("Enter");
      await page.getByText("End of plainly.").first().waitFor();
      expect(watched.sockets.map(({ path }) => path)).toEqual(
        expect.arrayContaining(["/ws/team", "/ws/agents/boss"]),
      );
      expect(watched.trouble).toEqual(quiet);
    } finally {
      await browser.close();
      await team.stop();
    }
  },
);
