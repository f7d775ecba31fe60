/** Texts as models write them: one of everything, and one for each block that can grow for long. */
export const texts = { mixed, list, table, fence, line };
export type TextName = keyof typeof texts;

const sentence =
  "Some **bold** text with `code`, [a link](https://example.com/page) and more words &amp; signs. これは**「重要」**な文です。 ";

function mixed(length: number): string {
  return filled(
    length,
    (n) =>
      `## Part ${n}\n\n${sentence.repeat(3)}\n\n- first *item*\n- second \`item\`\n  - inner\n\n\`\`\`ts\n${codeLine(n).repeat(8)}\`\`\`\n\n| a | b |\n| - | - |\n| ${n} | **${n}** |\n\n`,
  );
}

function list(length: number): string {
  return filled(length, (n) => `- item ${n} with **bold** and \`code\`\n`);
}

function table(length: number): string {
  return `| n | name | what |\n| -: | - | - |\n${filled(length, (n) => `| ${n} | **row ${n}** | some \`code\` |\n`)}`;
}

function fence(length: number): string {
  return `\`\`\`ts\n${filled(length, codeLine)}`;
}

function line(length: number): string {
  return filled(length, () => sentence);
}

const codeLine = (n: number): string => `const value${n} = await compute(${n}, "text"); // why\n`;

function filled(length: number, part: (n: number) => string): string {
  let text = "";
  for (let n = 0; text.length < length; n++) text += part(n);
  return text.slice(0, length);
}
