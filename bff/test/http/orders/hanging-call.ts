import { onTestFinished } from "vitest";
import { SECOND_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { Unknown } from "../../../src/gateways/gateway-call.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import type { OrdersWorld } from "./orders-world.ts";

/** Opens at the latest when the test ends, so that a failure does not block other tests. */
export function openGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  onTestFinished(open);
  return { open, opened };
}

/** A call that arrives, but runs only once `goOn` opens. */
export function held<Given extends unknown[], Answer>(call: (...given: Given) => Promise<Answer>) {
  const [arrived, goOn] = [openGate(), openGate()];
  const waits = async (...given: Given): Promise<Answer> => {
    arrived.open();
    await goOn.opened;
    return call(...given);
  };
  return { waits, arrived, goOn };
}

/** Wraps a call, and records the seconds from now at which it was made. */
export function timed<Given extends unknown[], Answer>(clock: Clock, call: (...given: Given) => Answer) {
  const begun = clock.now().getTime();
  const elapsed: number[] = [];
  return {
    elapsed,
    call: (...given: Given) => {
      elapsed.push((clock.now().getTime() - begun) / SECOND_MS);
      return call(...given);
    },
  };
}

/** A call that arrives, and is still unanswered when the connector gives up (`givenUp` opens). */
export function hanging<Given extends unknown[]>(call: (...given: Given) => Promise<unknown>) {
  const [arrived, givenUp] = [openGate(), openGate()];
  const hangs = async (...given: Given): Promise<Unknown> => {
    await call(...given);
    arrived.open();
    await givenUp.opened;
    return { outcome: "unknown" };
  };
  return { hangs, arrived, givenUp };
}

/** Moves the clock second by second while a call has no answer, so that each timer runs at its due time. */
export async function passWhileHanging(world: OrdersWorld, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    world.clock.advance(1_000);
    await world.runDueNow();
  }
}
