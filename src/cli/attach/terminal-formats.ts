import { styleText } from "node:util";

export type Format = Parameters<typeof styleText>[0];
/** One of the formats that a text may have at the same time. */
export type Ink = Exclude<Format, readonly unknown[]>;

/** Colours a text, or leaves it alone. */
export type Paint = (format: Format, text: string) => string;

export const noPaint: Paint = (_, text) => text;

/** Colours for the stream: none when it is not a terminal, or when NO_COLOR is set. */
export const paintFor = (stream: NodeJS.WriteStream): Paint => {
  return (format, text) => (text === "" ? "" : styleText(format, text, { stream }));
};
