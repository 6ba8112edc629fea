import { describe, expect, it } from "vitest";
import type { DifferenceKind } from "../../contract/reconciliation.ts";
import { ADVICE, LOST_CHARGE_ADVICE } from "../restore/advice.ts";
import type { CheckedRestore, Finding } from "../restore/check-restore.ts";
import { shownBeginning, shownCheck, shownNext } from "./restore-steps.ts";

const PROVIDER = "0d5f8a6e-9b5c-4f0e-8d67-0c8e2f7a1b11";

function finding(kind: DifferenceKind, number: number, advice = ADVICE[kind]): Finding {
  const reference = `reference-${number}`;
  const at = new Date("2026-11-28T12:00:00Z");
  const facts = { party: "card_processor", orderId: null, expected: null, found: null } as const;
  const exception = advice.heals ? null : `difference:${PROVIDER}:${kind}:${reference}@1`;
  return { providerId: PROVIDER, difference: { kind, reference, at, ...facts }, advice, exception };
}

const checked = (findings: readonly Finding[], isEnded = false): CheckedRestore => ({
  findings,
  unavailable: [],
  erasures: { erased: 0, refused: [] },
  isEnded,
});
const EVERY_KIND = (Object.keys(ADVICE) as DifferenceKind[]).flatMap((kind, at) => [
  finding(kind, at),
  finding(kind, -at - 1),
]);
const commandsIn = (lines: readonly string[]) => lines.filter((line) => line.startsWith("  aapd "));
const next = (findings: readonly Finding[], requests = new Map<string, string>()) =>
  shownNext(checked(findings), requests).lines;

describe("after a restore", () => {
  it("no printed command dismisses a difference without the operator's own words", () => {
    for (const lines of [shownCheck(checked(EVERY_KIND)).lines, ...EVERY_KIND.map((one) => next([one]))]) {
      const dismissing = commandsIn(lines).filter((line) => line.includes("handled"));
      for (const line of dismissing) expect(line).toMatch(/handled --note$/);
    }
    expect(commandsIn(next([finding("return_missing", 1)]))[0]).toMatch(/ handled --note$/);
  });

  it("prints one command at a time, and first those that return patients' money", () => {
    const mixed = [finding("settled_differs", 1), finding("charge_not_booked", 2), finding("charge_not_booked", 3)];
    expect(commandsIn(next(mixed))).toEqual([
      "  aapd exceptions resolve-all difference return_charge --fact kind=charge_not_booked",
      "  aapd restore",
    ]);
    expect(commandsIn(next(mixed.slice(0, 2)))[0]).toMatch(
      /^ {2}aapd exceptions resolve difference:\S+ return_charge$/,
    );
    expect(commandsIn(next(mixed.slice(0, 1)))[0]).toMatch(/settled_differs:\S+ handled --note$/);
  });

  it("names what another operator has to confirm", () => {
    const lost = finding("charge_not_booked", 1);
    const lines = next([lost], new Map([[lost.exception ?? "", "operator:camila"]]));
    expect(lines.join("\n")).toContain("operator:camila has requested this. Another operator has to run the same.");
  });

  it("counts the differences that resolve themselves, and says when work has resumed", () => {
    const healing = finding("charge_not_booked", 1, LOST_CHARGE_ADVICE.found_when_paid);
    expect(next([healing, finding("loan_not_booked", 2)])[0]).toBe(
      "Work is held back. Differences to resolve: 1. Others that heal by themselves: 1.",
    );
    expect(shownNext(checked([healing], true), new Map()).lines).toEqual([
      "Work has resumed, in every process. You are done.",
    ]);
  });

  it("asks for the moment that only the operator knows", () => {
    expect(commandsIn(shownBeginning().lines)).toEqual(["  aapd restore begin --to"]);
  });
});
