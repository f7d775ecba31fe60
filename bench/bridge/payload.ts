const SENTENCE = 'The test "accepts the exact maximum" of src/wire/frame.ts passed in 12 ms.\n';

const texts = new Map<number, string>();

/** A text of so many bytes with what tools' results are full of: quotes, slashes, line ends. Made once. */
export function textOf(bytes: number): string {
  const text = texts.get(bytes) ?? Buffer.alloc(bytes, SENTENCE).toString("latin1");
  texts.set(bytes, text);
  return text;
}
