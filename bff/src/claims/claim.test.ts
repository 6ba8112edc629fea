import { describe, expect, it } from "vitest";
import {
  CLAIM_STATES,
  CLAIM_TRANSITIONS,
  CLAIM_TRIGGERS,
  type ClaimState,
  type ClaimTrigger,
  claimAfter,
  classifyFiling,
  portalDownDelayMs,
} from "./claim.ts";

/** The whole matrix is repeated here on purpose, so that no transition changes by accident. */
const expected: Record<ClaimState, Partial<Record<ClaimTrigger, ClaimState>>> = {
  ready: { call: "filing", stop: "stopped" },
  filing: {
    file: "filed",
    miss_access: "access_missing",
    block_access: "access_blocked",
    lack_document: "held",
    find_portal_down: "ready",
    stop_unsent: "stopped",
  },
  filed: { approve: "approved", reject: "rejected", withdraw: "stopped" },
  approved: {},
  rejected: {},
  held: { complete_documents: "ready", stop: "stopped" },
  access_missing: { give_access: "ready", stop: "stopped" },
  access_blocked: { call: "filing", give_access: "ready", stop: "stopped" },
  stopped: {},
};

describe("the states of a claim", () => {
  it.each(CLAIM_STATES.flatMap((state) => CLAIM_TRIGGERS.map((trigger) => ({ state, trigger }))))(
    "$state moves by $trigger as the matrix says, or not at all",
    ({ state, trigger }) => {
      expect(claimAfter(state, trigger)).toBe(expected[state][trigger] ?? null);
    },
  );

  it("have no way back from a filed state, so that each claim is filed once", () => {
    const filed = new Set<ClaimState>(["filed", "approved", "rejected"]);
    // No transition leaves `stopped`.
    for (const { from, to } of CLAIM_TRANSITIONS) if (filed.has(from)) expect([...filed, "stopped"]).toContain(to);
  });
});

describe("the insurer's answer to a filing", () => {
  it.each([
    [{ outcome: "filed" }, "filed", null],
    [{ outcome: "access_missing" }, "access_missing", null],
    [{ outcome: "access_blocked" }, "access_blocked", 6 * 3_600_000],
    [{ outcome: "portal_down" }, "ready", 15 * 60_000],
    [{ outcome: "held", missing: ["medical_order"] }, "held", null],
  ] as const)("%j makes the claim %s, with a retry after %s ms", (outcome, state, retryAfterMs) => {
    const verdict = classifyFiling(outcome, 1);
    expect(claimAfter("filing", verdict.trigger)).toBe(state);
    expect(verdict.retryAfterMs).toBe(retryAfterMs);
  });

  it("doubles the delay of the next attempt while the portal is down, up to four hours", () => {
    expect([1, 2, 3, 4, 5, 6, 1_000].map((attempt) => portalDownDelayMs(attempt) / 60_000)).toEqual([
      15, 30, 60, 120, 240, 240, 240,
    ]);
  });
});
