import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { WatchedPage } from "./watched-page.ts";

interface OwnSession {
  send(method: "Emulation.setFocusEmulationEnabled", params: { enabled: boolean }): Promise<void>;
}

/** What of playwright-core 1.65 is not public, and is needed here. */
interface PageParts {
  readonly _connection?: {
    toImpl?: (page: Page) => { delegate?: { _mainFrameSession?: { _client?: OwnSession } } };
  };
}

/**
 * Playwright tells Chromium for each page that somebody looks at it, and only the session that did so can take that back.
 * Afterwards a page in the background is hidden, as for a person.
 */
async function mayBeHidden(page: Page): Promise<void> {
  const { _connection: connection } = page as unknown as PageParts;
  const { _mainFrameSession: frame } = connection?.toImpl?.(page).delegate ?? {};
  const { _client: session } = frame ?? {};
  if (!session) throw new Error("This playwright-core keeps its sessions elsewhere.");
  await session.send("Emulation.setFocusEmulationEnabled", { enabled: false });
}

async function untilHidden(page: Page, isHidden: boolean): Promise<void> {
  await expect.poll(() => page.evaluate(() => document.hidden)).toBe(isHidden);
}

/** The person looks at another tab. Returns what makes them look back. */
export async function lookAway({ context, page }: WatchedPage): Promise<() => Promise<void>> {
  await mayBeHidden(page);
  const other = await context.newPage();
  await other.bringToFront();
  await untilHidden(page, true);
  return async () => {
    await other.close();
    await page.bringToFront();
    await untilHidden(page, false);
  };
}
