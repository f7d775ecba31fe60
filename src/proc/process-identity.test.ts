import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isAlive, isRunning, parentOf, pidOf, processId } from "./process-identity.ts";

describe("pidOf", () => {
  it("reads the pid of every identity, and of no other text", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_194_304 }), fc.nat(), (pid, start) => {
        expect(pidOf(`${pid}-${start}`)).toBe(pid);
        expect(pidOf(`${pid}-`)).toBe(pid);
      }),
    );
    const others = ["", "-", "1", "-1-2", "0-5", "01-5", "1-2-3", " 1-2", "1-x", "NaN-1"];
    expect(others.filter((text) => pidOf(text) !== undefined)).toEqual([]);
  });
});

describe("isAlive", () => {
  it("is true of our own process, and false of an earlier one with the same pid", () => {
    const id = processId(process.pid);
    expect(id).toMatch(/^\d+-\d+$/);
    expect(isAlive(id)).toBe(true);
    expect(isAlive(`${process.pid}-1`)).toBe(false);
    expect(isAlive("no identity")).toBe(false);
  });

  it("is false of a process that has ended, before and after its parent has collected it", async () => {
    // The shell becomes the sleep, which collects no children.
    const parent = spawn("sh", ["-c", "sleep 0 & exec sleep 60"], { stdio: "ignore" });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const parentPid = parent.pid ?? 0;
    const children = (): number[] =>
      readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
        .filter((pid) => parentOf(pid) === parentPid);
    await vi.waitUntil(() => children().some((pid) => !isRunning(pid)), { timeout: 20_000 });
    const [zombie = 0] = children();
    const [zombieId, parentId] = [processId(zombie), processId(parentPid)];
    expect([isAlive(zombieId), isRunning(zombie)]).toEqual([false, false]);
    expect(isAlive(parentId)).toBe(true);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    expect([isAlive(parentId), isRunning(parentPid)]).toEqual([false, false]);
  });
});
