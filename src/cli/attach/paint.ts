import { styleText } from "node:util";

export type Format = Parameters<typeof styleText>[0];

/** Colours a text, or leaves it alone. */
export type Paint = (format: Format, text: string) => string;

export const noPaint: Paint = (_, text) => text;

/** Colours as the terminal wants them: none when it is none, or when NO_COLOR says so. */
export const paintFor = (stream: NodeJS.WriteStream): Paint => {
  return (format, text) => (text === "" ? "" : styleText(format, text, { stream }));
};
