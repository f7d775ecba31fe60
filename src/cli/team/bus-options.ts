/** Whose credentials these are. */
export async function credentialsName(file: string): Promise<{ team: string; name: string }> {
  const { readCredentials } = await import("../../nats/nats-credentials.ts");
  const { team, name } = readCredentials(file);
  return { team, name };
}
