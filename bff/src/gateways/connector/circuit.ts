import type { Clock } from "../../platform/clock.ts";

/** A failure whose gateway says when it wants the next call. */
export interface CallLater {
  readonly callAfterMs: number;
}

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

/** A gateway that names a later time is asked again after this one: patients wait for it. */
const CALL_AFTER_MS_MAX = 5 * 60_000;

function callAfterOf(error: unknown): number | null {
  const isNamed = error instanceof Error && "callAfterMs" in error && typeof error.callAfterMs === "number";
  return isNamed ? (error as Error & CallLater).callAfterMs : null;
}

/** How late the failure of a missed deadline may be while the process runs. */
const LATE_MS_MAX = 2_000;

/**
 * Stops calls to a gateway that is down, which spares it load and patients the wait. After `failuresMax` consecutive
 * failures no call is made for `openMs`; after a failure that names a time (`CallLater`), none until then. Then one
 * trial call closes the circuit or keeps it open. Failures that a process finds when it wakes from a suspension do not
 * count.
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

  function open(milliseconds: number): void {
    if (openUntil === null) onChange("open");
    openUntil = clock.now().getTime() + milliseconds;
  }

  function fail(error: unknown): void {
    failures += 1;
    const callAfterMs = callAfterOf(error);
    if (callAfterMs !== null) open(Math.min(callAfterMs, CALL_AFTER_MS_MAX));
    else if (failures >= failuresMax) open(openMs);
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
        if (clock.now().getTime() - begun <= deadlineMs + LATE_MS_MAX) fail(error);
        throw error;
      } finally {
        if (wasOpen) isTrying = false;
      }
    },
  };
}
