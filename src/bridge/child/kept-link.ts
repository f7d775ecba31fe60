import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { HostLink } from "./host-link.ts";

export interface KeptLinkOptions {
  /** One try to make it. */
  open: () => Promise<HostLink>;
  onLost: (link: HostLink, error: ClaudeCodeError) => void;
}

/** One link at a time: made when somebody wants it, shared by all, and made anew after it was lost. */
export class KeptLink {
  readonly #options: KeptLinkOptions;
  #current: HostLink | undefined;
  #opening: Promise<HostLink> | undefined;

  constructor(options: KeptLinkOptions) {
    this.#options = options;
  }

  get current(): HostLink | undefined {
    return this.#current;
  }

  /** @throws what `open` throws; the next call tries again. */
  async connected(): Promise<HostLink> {
    // One that has just ended carries nothing. It is let go of first, so that its loss is not the next one's.
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
