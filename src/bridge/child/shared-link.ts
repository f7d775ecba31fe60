import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { HostLink } from "./host-link.ts";

export interface SharedLinkOptions {
  /** One try to connect. */
  open: () => Promise<HostLink>;
  onLost: (link: HostLink, error: ClaudeCodeError) => void;
}

/** One connection at a time: made on demand, shared by all callers, and made again after it was lost. */
export class SharedLink {
  readonly #options: SharedLinkOptions;
  #current: HostLink | undefined;
  #opening: Promise<HostLink> | undefined;

  constructor(options: SharedLinkOptions) {
    this.#options = options;
  }

  get current(): HostLink | undefined {
    return this.#current;
  }

  /** @throws what `open` throws; the next call tries again. */
  async connected(): Promise<HostLink> {
    // A connection that has just ended is useless. Wait for its end first, so that its loss is not attributed to the
    // next one.
    if (this.#current?.isOpen === false) await this.#current.ended;
    if (this.#current) return this.#current;
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(): Promise<HostLink> {
    const link = await this.#options.open();
    this.#current = link;
    void link.ended.then((error) => this.#lose(link, error));
    return link;
  }

  #lose(link: HostLink, error: ClaudeCodeError): void {
    this.#current = undefined;
    this.#options.onLost(link, error);
  }
}
