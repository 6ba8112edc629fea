import { describe, expect, it, vi } from "vitest";
import type { Answer, Problem } from "../api/problem.ts";
import { orderWith, paidOrder, refusalWith } from "../gallery/recorded-answers.ts";
import { createAttemptKey, createKeyOfBody } from "./attempt-key.ts";
import { type PaymentRun, pauseAfter, runPayment } from "./payment-run.ts";

type PaymentAnswer = Awaited<ReturnType<PaymentRun["pay"]>>;

const SUCCEEDED: PaymentAnswer = { ok: true, value: { order: paidOrder(), payment: { status: "succeeded" } } };
const PROCESSING: PaymentAnswer = { ok: true, value: { order: orderWith(), payment: { status: "processing" } } };
const REVIEWED: PaymentAnswer = {
  ok: true,
  value: { order: orderWith(), payment: { status: "processing", waits_for: "lender" } },
};
const CHALLENGE: PaymentAnswer = {
  ok: true,
  value: {
    order: orderWith(),
    payment: {
      status: "requires_action",
      action: { type: "challenge", url: "https://bank.example/1", expires_at: "2026-11-21T15:30:00.000Z" },
    },
  },
};
const LOST: Answer<never> = { ok: false, problem: { kind: "no_answer", fault: "timeout", traceId: null } };

function no(problem: Problem): Answer<never> {
  return { ok: false, problem };
}

function runOf(answers: readonly PaymentAnswer[], order = orderWith()) {
  let made = 0;
  const key = createAttemptKey(() => {
    made += 1;
    return `key-${made}`;
  });
  const left = [...answers];
  const pay = vi.fn((_key: string) => Promise.resolve(left.shift() ?? SUCCEEDED));
  const progress: string[] = [];
  const pauses: number[] = [];
  const run: PaymentRun = {
    key,
    pay,
    readOrder: () => Promise.resolve({ ok: true, value: order }),
    onProgress: (doing) => void progress.push(doing),
    wait: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
  };
  return { run, key, pay, progress, pauses };
}

describe("payment run", () => {
  it("ends with the paid order", async () => {
    const { run } = runOf([SUCCEEDED]);
    expect(await runPayment(run)).toMatchObject({ outcome: "paid", order: { status: "paid" } });
  });

  it("keeps its key until a definite answer, and renews it after that", async () => {
    const fault = no(refusalWith("internal_error", 500));
    const inFlight = no(refusalWith("idempotency_in_flight", 409));
    const { run, pay, key } = runOf([LOST, fault, inFlight, PROCESSING, SUCCEEDED]);
    await runPayment(run);
    expect(new Set(pay.mock.calls.map(([used]) => used))).toEqual(new Set(["key-1"]));
    expect(key.current()).toBe("key-2");
  });

  it("keeps its key after a challenge", async () => {
    const { run, key } = runOf([CHALLENGE]);
    expect(await runPayment(run)).toEqual({
      outcome: "challenge",
      challenge: { type: "challenge", url: "https://bank.example/1", expires_at: "2026-11-21T15:30:00.000Z" },
    });
    expect(key.current()).toBe("key-1");
  });

  it("returns a refusal with its data", async () => {
    const problem = refusalWith("card_declined", 400, { decline_reason: "card_blocked" });
    const { run } = runOf([no(problem)]);
    expect(await runPayment(run)).toEqual({ outcome: "refused", problem });
  });

  it("polls at growing intervals, and reports when it may take long", async () => {
    const { run, progress, pauses } = runOf(Array.from({ length: 12 }, () => LOST));
    await runPayment(run);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(progress.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => "checking"));
    expect(progress.at(-1)).toBe("stuck");
  });

  it("polls every 3 s for the first minute, then every 15 s", () => {
    const pauses = Array.from({ length: 30 }, (_, question) => pauseAfter(question));
    const inMinute = pauses.filter((_, index) => pauses.slice(0, index + 1).reduce((a, b) => a + b) <= 60_000);
    expect(Math.max(...inMinute)).toBe(3_000);
    expect(pauses.slice(inMinute.length)).toEqual(pauses.slice(inMinute.length).map(() => 15_000));
  });

  it("waits for the lender while the lender decides, otherwise for the bank", async () => {
    const { run, progress } = runOf([REVIEWED, PROCESSING, SUCCEEDED]);
    await runPayment(run);
    expect(progress).toEqual(["reviewing", "processing"]);
  });

  it("ends when the order is paid, even if its request died and retries get no answer", async () => {
    const inFlight = no(refusalWith("idempotency_in_flight", 409));
    const { run, pay } = runOf([LOST, inFlight, inFlight, inFlight], paidOrder());
    expect(await runPayment(run)).toMatchObject({ outcome: "paid", order: { status: "paid" } });
    expect(pay).toHaveBeenCalledTimes(2);
  });

  it("is paid when the order is, whatever the payment's answer", async () => {
    const { run } = runOf([{ ok: true, value: { order: paidOrder(), payment: { status: "processing" } } }]);
    expect(await runPayment(run)).toMatchObject({ outcome: "paid" });
  });
});

describe("the key of a body", () => {
  it("is the same for the same body, and different for a different body", () => {
    let made = 0;
    const key = createKeyOfBody(() => {
      made += 1;
      return String(made);
    });
    expect(key.of("a")).toBe("1");
    expect(key.of("a")).toBe("1");
    expect(key.of("b")).toBe("2");
    key.renew();
    expect(key.of("b")).toBe("3");
  });
});
