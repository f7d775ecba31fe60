import { signal } from "@preact/signals";

/** The sheet that the person has asked for. */
export const openSheet = signal<"goTo" | "keys" | undefined>(undefined);
