/** Counts open requests, so that a host can answer them all before it closes. */
export class OpenRequests {
  #count = 0;
  #none = Promise.withResolvers<void>();

  /** Returns the function to call when the answer is on its way or no longer needed. */
  open(): () => void {
    this.#count += 1;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#count -= 1;
      if (this.#count > 0) return;
      this.#none.resolve();
      this.#none = Promise.withResolvers();
    };
  }

  async allAnswered(): Promise<void> {
    if (this.#count > 0) await this.#none.promise;
  }
}
