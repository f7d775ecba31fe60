/** Counts the answers that are owed, so that a host can give them all before it closes. */
export class Owed {
  #count = 0;
  #none = Promise.withResolvers<void>();

  /** Gives back the function to call when the answer is on its way or nobody wants it any more. */
  owe(): () => void {
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

  async none(): Promise<void> {
    if (this.#count > 0) await this.#none.promise;
  }
}
