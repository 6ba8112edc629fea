import { describe, expect, it } from "vitest";
import { movableClock } from "../../platform/clock.ts";
import { CircuitOpen, createCircuit } from "./circuit.ts";

const fails = () => Promise.reject(new Error("down"));
const answers = () => Promise.resolve("answer");

function start() {
  const clock = movableClock(new Date("2026-11-21T12:00:00Z"));
  const changes: string[] = [];
  const circuit = createCircuit({ clock, failuresMax: 3, openMs: 30_000, onChange: (state) => changes.push(state) });
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

  it("forgets failures that were not consecutive", async () => {
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

  it("stays open if the trial call fails", async () => {
    const { circuit, clock, failTimes } = start();
    await failTimes(3);
    clock.advance(30_000);
    await failTimes(1);
    await expect(circuit.run(answers)).rejects.toThrow(CircuitOpen);
    clock.advance(30_000);
    await expect(circuit.run(answers)).resolves.toBe("answer");
  });
});
