import { nkeys } from "@nats-io/transport-node";

/** A new identity for a NATS server: the seed is secret, the server gets the public key. */
export function makeNkey(): { readonly seed: string; readonly publicKey: string } {
  const pair = nkeys.createUser();
  const seed = new TextDecoder().decode(pair.getSeed());
  const publicKey = pair.getPublicKey();
  pair.clear();
  return { seed, publicKey };
}
