import { createRequire } from "node:module";
import type axeCore from "axe-core";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

export interface PageOptions {
  readonly lang?: "en" | "ja";
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** Messages of the console that belong to what the test does, such as connections that are refused. */
  readonly allowed?: readonly RegExp[];
}

/** What `trouble` is when nothing happened that must not. */
export const quiet: Readonly<
  Record<"complaints" | "pageErrors" | "foreignRequests", readonly string[]>
> = {
  complaints: [],
  pageErrors: [],
  foreignRequests: [],
};

/** A browser of one person at our page. It notes all that must never happen; each test ends with `trouble` as `quiet`. */
export class WatchedPage implements AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly origin: string;
  /** Violations of the Content-Security-Policy and other errors in the console. */
  readonly complaints: string[] = [];
  readonly pageErrors: string[] = [];
  readonly foreignRequests: string[] = [];
  /** How often the document was loaded. */
  loads = 0;
  /** When each WebSocket was opened, and to where. */
  readonly sockets: { readonly at: number; readonly path: string }[] = [];
  readonly requests: string[] = [];
  #cdp: CDPSession | undefined;

  private constructor(
    context: BrowserContext,
    page: Page,
    origin: string,
    allowed: readonly RegExp[],
  ) {
    this.context = context;
    this.page = page;
    this.origin = origin;
    const isAllowed = (text: string): boolean => allowed.some((each) => each.test(text));
    page.on("console", (message) => {
      const text = `${message.type()}: ${message.text()}`;
      const where = message.location().url.replace(origin, "");
      if (message.type() === "error" && !isAllowed(text)) this.complaints.push(`${text} ${where}`);
    });
    page.on("pageerror", (error) => this.pageErrors.push(String(error)));
    page.on("request", (request) => {
      const { protocol, origin: to, pathname } = new URL(request.url());
      if (["data:", "blob:"].includes(protocol)) return;
      this.requests.push(pathname);
      if (to !== origin) this.foreignRequests.push(request.url());
    });
    page.on("domcontentloaded", () => (this.loads += 1));
    page.on("websocket", (socket) => {
      const { host, pathname } = new URL(socket.url());
      this.sockets.push({ at: performance.now(), path: pathname });
      if (host !== new URL(origin).host) this.foreignRequests.push(socket.url());
    });
  }

  /** Opens a link, or an address of the page without one. */
  static async open(
    browser: Browser,
    url: string,
    options: PageOptions = {},
  ): Promise<WatchedPage> {
    const { lang = "en", theme = "light", width = 1440, height = 900, allowed = [] } = options;
    const context = await browser.newContext({
      locale: lang === "ja" ? "ja-JP" : "en-US",
      colorScheme: theme,
      viewport: { width, height },
      hasTouch: width < 600,
      reducedMotion: "reduce",
    });
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`policy violated: ${event.effectiveDirective} ${event.blockedURI}`);
      });
    });
    await context.addInitScript({ path: axePath });
    const page = await context.newPage();
    const watched = new WatchedPage(context, page, new URL(url).origin, allowed);
    await page.goto(url);
    return watched;
  }

  /** Signed in, and the first events are there. */
  async live(): Promise<this> {
    await this.page.locator('footer [data-link="live"]').waitFor({ state: "attached" });
    return this;
  }

  /** Goes to a view by the page's own navigation, without loading it again. */
  async visit(path: string): Promise<void> {
    await this.page.evaluate((to) => {
      const link = document.createElement("a");
      link.href = to;
      document.body.append(link);
      link.click();
      link.remove();
    }, path);
  }

  async cdp(): Promise<CDPSession> {
    return (this.#cdp ??= await this.context.newCDPSession(this.page));
  }

  /** What axe finds wrong, one line each. */
  async axe(): Promise<string[]> {
    return this.page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof axeCore };
      const { violations } = await axe.run(document, { resultTypes: ["violations"] });
      return violations.map(
        ({ id, help, nodes }) =>
          `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
      );
    });
  }

  /** All that must never happen; `quiet` when nothing did. */
  get trouble(): typeof quiet {
    const { complaints, pageErrors, foreignRequests } = this;
    return { complaints, pageErrors, foreignRequests };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
