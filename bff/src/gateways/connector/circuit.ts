import type { Clock } from "../../platform/clock.ts";

/** Thrown instead of calling a gateway whose circuit is open; nothing was sent. */
export class CircuitOpen extends Error {
  override readonly name = "CircuitOpen";
  readonly code = "circuit_open";
}

export interface CircuitOptions {
  readonly clock: Clock;
  /** Consecutive failures that open the circuit. */
  readonly failuresMax: number;
  /** How long it stays open before one trial call is allowed. */
  readonly openMs: number;
  /**
   * The deadline of a call. A failure long after it shows that this process was suspended, not that the party failed.
   */
  readonly deadlineMs: number;
  /** Called whenever the circuit opens or closes. */
  readonly onChange: (state: "open" | "closed") => void;
}

export interface Circuit {
  /** Makes a call unless the circuit is open (`CircuitOpen`); a call that throws is a failure. */
  run<T>(call: () => Promise<T>): Promise<T>;
}

/** How late the failure of a missed deadline may be while the process runs. */
const LATE_MS_MAX = 2_000;

/**
 * Stops calls to a gateway that is down, which spares it load and patients the wait. After `failuresMax` consecutive
 * failures no call is made for `openMs`; then one trial call closes the circuit or keeps it open. Failures that a
 * process finds when it wakes from a suspension do not count.
 */
export function createCircuit({ clock, failuresMax, openMs, deadlineMs, onChange }: CircuitOptions): Circuit {
  let failures = 0;
  let openUntil: number | null = null;
  let isTrying = false;

  function succeed(): void {
    if (openUntil !== null) onChange("closed");
    failures = 0;
    openUntil = null;
  }

  function fail(): void {
    failures += 1;
    if (failures < failuresMax) return;
    if (openUntil === null) onChange("open");
    openUntil = clock.now().getTime() + openMs;
  }

  return {
    async run(call) {
      const wasOpen = openUntil !== null;
      if (openUntil !== null && (isTrying || clock.now().getTime() < openUntil)) {
        throw new CircuitOpen("The outside party has failed too often lately, so it is not called.");
      }
      if (wasOpen) isTrying = true;
      const begun = clock.now().getTime();
      try {
        const answer = await call();
        succeed();
        return answer;
      } catch (error) {
        if (clock.now().getTime() - begun <= deadlineMs + LATE_MS_MAX) fail();
        throw error;
      } finally {
        if (wasOpen) isTrying = false;
      }
    },
  };
}
