import { describe, expect, it } from "vitest";
import { movableClock } from "../../platform/clock.ts";
import { CircuitOpen, createCircuit } from "./circuit.ts";

const fails = () => Promise.reject(new Error("down"));
const answers = () => Promise.resolve("answer");

function start() {
  const clock = movableClock(new Date("2026-11-21T12:00:00Z"));
  const changes: string[] = [];
  const circuit = createCircuit({
    clock,
    failuresMax: 3,
    openMs: 30_000,
    deadlineMs: 10_000,
    onChange: (state) => changes.push(state),
  });
  const failTimes = async (times: number) => {
    for (let time = 0; time < times; time += 1) await expect(circuit.run(fails)).rejects.toThrow("down");
  };
  return { clock, circuit, changes, failTimes };
}

describe("a circuit", () => {
  it("opens after consecutive failures, and then makes no call", async () => {
    const { circuit, changes, failTimes } = start();
    await failTimes(3);
    let calls = 0;
    const counted = async () => {
      calls += 1;
    };
    await expect(circuit.run(counted)).rejects.toThrow(CircuitOpen);
    expect(calls).toBe(0);
    expect(changes).toEqual(["open"]);
  });

  it("does not open after failures that were not consecutive", async () => {
    const { circuit, failTimes } = start();
    await failTimes(2);
    await circuit.run(answers);
    await failTimes(2);
    await expect(circuit.run(answers)).resolves.toBe("answer");
  });

  it("allows one trial call after its time, and closes if that succeeds", async () => {
    const { circuit, clock, changes, failTimes } = start();
    await failTimes(3);
    clock.advance(29_999);
    await expect(circuit.run(answers)).rejects.toThrow(CircuitOpen);
    clock.advance(1);
    let finish = (_answer: string): void => undefined;
    const trying = circuit.run(() => new Promise<string>((resolve) => (finish = resolve)));
    await expect(circuit.run(answers)).rejects.toThrow(CircuitOpen);
    finish("answer");
    await expect(trying).resolves.toBe("answer");
    await expect(circuit.run(answers)).resolves.toBe("answer");
    expect(changes).toEqual(["open", "closed"]);
  });

  it("makes no call before the time that the gateway names, at most five minutes later", async () => {
    for (const [named, heldMs] of [
      [2_000, 2_000],
      [86_400_000, 300_000],
    ] as const) {
      const { circuit, clock, changes } = start();
      const later = () => Promise.reject(Object.assign(new Error("too soon"), { callAfterMs: named }));
      await expect(circuit.run(later)).rejects.toThrow("too soon");
      clock.advance(heldMs - 1);
      await expect(circuit.run(answers)).rejects.toThrow(CircuitOpen);
      clock.advance(1);
      await expect(circuit.run(answers)).resolves.toBe("answer");
      expect(changes).toEqual(["open", "closed"]);
    }
  });

  it("stays open if the trial call fails", async () => {
    const { circuit, clock, failTimes } = start();
    await failTimes(3);
    clock.advance(30_000);
    await failTimes(1);
    await expect(circuit.run(answers)).rejects.toThrow(CircuitOpen);
    clock.advance(30_000);
    await expect(circuit.run(answers)).resolves.toBe("answer");
  });

  it("stays closed if its process was suspended and every deadline passed meanwhile", async () => {
    const { circuit, clock, changes } = start();
    const failures: ((error: Error) => void)[] = [];
    const running = [1, 2, 3].map(() =>
      expect(circuit.run(() => new Promise((_resolve, reject) => failures.push(reject)))).rejects.toThrow("timed out"),
    );
    clock.advance(60_000);
    for (const fail of failures) fail(new Error("timed out"));
    await Promise.all(running);
    await expect(circuit.run(answers)).resolves.toBe("answer");
    expect(changes).toEqual([]);
  });

  it("opens if calls miss their deadline while its process runs", async () => {
    const { circuit, clock, changes } = start();
    for (let time = 0; time < 3; time += 1) {
      const call = circuit.run(async () => {
        clock.advance(10_050);
        throw new Error("timed out");
      });
      await expect(call).rejects.toThrow("timed out");
    }
    expect(changes).toEqual(["open"]);
  });
});
