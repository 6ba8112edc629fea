import { type ExceptionPart, ResolutionRefused, type Resolving } from "../../platform/exceptions.ts";
import { runTimersNow } from "../../platform/timers/timer-store.ts";
import { ROOM_EXCEPTIONS } from "./room-exceptions.ts";

/** Exceptions that concern several folders: calls with an unknown outcome, and putting an exception aside. */
export const sharedExceptions = {
  kinds: {
    outcome_unknown: {
      means: "Nobody knows how a call to an outside party ended.",
      resolutions: ["ask_again", "handled"],
    },
  },
  resolutions: {
    ask_again: { means: "ask the outside party now what became of it", resolve: askAgain },
    handled: { means: "put it aside; it comes back if it happens again", resolve: handle },
  },
} as const satisfies Omit<ExceptionPart, "queries">;

/** Makes the timer of the next inquiry due now; such inquiries are up to an hour apart. */
async function askAgain({ tx, clock, exception }: Resolving): Promise<string> {
  const { providerId, subject } = exception;
  const timers = ROOM_EXCEPTIONS.flatMap((part) => part.inquiryTimer?.(exception) ?? []);
  let broughtForward = 0;
  for (const timer of [{ key: subject }, ...timers])
    broughtForward += await runTimersNow(tx, { providerId, ...timer }, clock.now());
  if (broughtForward === 0) throw new ResolutionRefused("It is being asked about just now.");
  return "It is asked about now; look again in a moment.";
}

async function handle(resolving: Resolving): Promise<string> {
  await resolving.putAside();
  for (const { kinds } of ROOM_EXCEPTIONS) await kinds[resolving.exception.kind]?.whenHandled?.(resolving);
  return "Put aside; it comes back if it happens again.";
}
