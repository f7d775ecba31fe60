import type { Bus } from "../../../src/bus/bus.ts";
import { makeMessage } from "./messages.ts";

const pick = (count: number): number => Math.floor(Math.random() * count);

/** Everything that a bus can do, at random, while others do the same. */
export async function act(bus: Bus, actor: number, acts: number): Promise<void> {
  for (let count = 0; count < acts; count += 1) {
    const [key, to] = [`k${pick(20)}`, `r${pick(4)}`];
    const fields = { owner: `o${pick(3)}` };
    const put = { kind: "put", collection: "c", key, value: { count, actor }, fields } as const;
    const remove = { kind: "remove", collection: "c", key: `k${pick(20)}` } as const;
    const append = { kind: "append", collection: "d", value: { count } } as const;
    const add = { kind: "add", collection: "e", key, amounts: { sent: 1 } } as const;
    const kind = pick(8);
    if (kind < 3) {
      const message = makeMessage({ from: `a${actor}`, to, ...(pick(10) === 0 && { ttl: 1 }) });
      await bus.send(message, { writes: [put, add], delivered: pick(10) === 0 });
    } else if (kind < 6) {
      const [delivery] = await bus.claim(to, { waitMs: 0 });
      const how = pick(4);
      if (how < 2) await delivery?.ack({ writes: [append] });
      else if (how === 2) await delivery?.nak({ why: "no" });
      else await delivery?.term("never", { writes: [remove] });
    } else if (kind === 6) {
      await bus.records.write([put, remove, append], { once: `once ${actor} ${pick(50)}` });
    } else {
      const { items } = await bus.deadLetters.list({ limit: 3 });
      const [first] = items;
      if (first && pick(2) === 0) await bus.deadLetters.discard(first.message.id);
      else if (first) await bus.deadLetters.resend(first.message.id);
    }
  }
}
