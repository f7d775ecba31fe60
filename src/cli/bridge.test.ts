import { expect, onTestFinished, test } from "vitest";
import { bridgeCommand } from "./bridge.ts";

/** As on a platform where no process can be taken over. */
function takeAwayExecve(): void {
  const before = Object.getOwnPropertyDescriptor(process, "execve");
  Object.defineProperty(process, "execve", { value: undefined, configurable: true });
  onTestFinished(() => void Object.defineProperty(process, "execve", before ?? {}));
}

test("bridge fails with a hint where the process cannot be replaced", async () => {
  takeAwayExecve();
  const ended = bridgeCommand().parseAsync(["/a.sock", "/a.json", "own"], { from: "user" });
  await expect(ended).rejects.toMatchObject({
    code: "bridge_startup",
    message: "This Node cannot hand its process over to the bridge.",
    hint: expect.stringMatching(/^Name the bridge itself .*child\.cjs \/a\.sock \/a\.json own$/),
  });
});
