/** The code of an operating system error, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  const hasCode = error instanceof Error && "code" in error && typeof error.code === "string";
  return hasCode ? (error.code as string) : undefined;
}

export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
