import { recordPortalReading } from "../../gateways/portal-readings.ts";
import {
  type ExceptionPart,
  ResolutionRefused,
  type Resolving,
  type UnknownCall,
  type WeightyOutcome,
} from "../../platform/exceptions.ts";
import { runTimersNow } from "../../platform/timers/timer-store.ts";
import { ROOM_EXCEPTIONS, ROOM_KINDS, ROOM_RESOLUTIONS } from "./room-exceptions.ts";

/** Exceptions that concern several folders: calls with an unknown outcome, and dismissals. */
const sharedExceptions = {
  kinds: {
    outcome_unknown: {
      means: "The outcome of a call to an outside party is unknown.",
      resolutions: ["ask_again", "portal_done", "portal_not_done", "handled"],
    },
  },
  resolutions: {
    ask_again: { means: "inquire now at the outside party", resolve: inquireAgain },
    portal_done: {
      means:
        "the party's portal shows that it was done: settle it as done; the note starts with the movement's number in the portal",
      resolve: (resolving) => settleByPortal(resolving, true),
    },
    portal_not_done: {
      means:
        "the party's portal shows that it was not done: settle it as not done; the service may make another call, so do not make it by hand",
      resolve: (resolving) => settleByPortal(resolving, false),
    },
    handled: { means: "dismiss it; it is listed again if it recurs", resolve: handle },
  },
} as const satisfies Omit<ExceptionPart, "queries">;

/** Makes the timer of the next inquiry due now; such inquiries are up to an hour apart. */
async function inquireAgain({ tx, clock, exception }: Resolving): Promise<string> {
  const { providerId, subject } = exception;
  const timers = ROOM_EXCEPTIONS.flatMap((part) => part.inquiryTimer?.(exception) ?? []);
  let broughtForward = 0;
  for (const timer of [{ key: subject }, ...timers])
    broughtForward += await runTimersNow(tx, { providerId, ...timer }, clock.now());
  if (broughtForward === 0) throw new ResolutionRefused("An inquiry is already running.");
  return "The inquiry runs now; look again in a moment.";
}

/** Records what the operator read in the portal, and has the call's timer settle it. */
async function settleByPortal(resolving: Resolving, wasDone: boolean): Promise<WeightyOutcome> {
  const { tx, exception } = resolving;
  let call: UnknownCall | null = null;
  for (const part of ROOM_EXCEPTIONS) call ??= (await part.unknownCall?.(tx, exception)) ?? null;
  const settled = await recordPortalReading(resolving, call, wasDone);
  await inquireAgain(resolving);
  return settled;
}

async function handle(resolving: Resolving): Promise<string> {
  await resolving.dismiss();
  for (const { kinds } of ROOM_EXCEPTIONS) await kinds[resolving.exception.kind]?.whenHandled?.(resolving);
  return "Dismissed; it is listed again if it recurs.";
}

/** All resolutions of exceptions; each writes an audit row. */
export const RESOLUTIONS = {
  ...ROOM_RESOLUTIONS,
  ...sharedExceptions.resolutions,
} as const satisfies ExceptionPart["resolutions"];
export type Resolution = keyof typeof RESOLUTIONS;

/** All kinds of exceptions with their resolutions. A kind that names an unknown resolution does not compile. */
export const EXCEPTION_KINDS = {
  ...ROOM_KINDS,
  ...sharedExceptions.kinds,
} as const satisfies Record<string, { readonly resolutions: readonly Resolution[] }>;
export type ExceptionKind = keyof typeof EXCEPTION_KINDS;

/** The definition of a kind of exception. */
export function partOf(kind: ExceptionKind): ExceptionPart["kinds"][string] {
  return EXCEPTION_KINDS[kind];
}

export function isExceptionKind(text: string): text is ExceptionKind {
  return Object.hasOwn(EXCEPTION_KINDS, text);
}

/** Whether exceptions of this kind allow the resolution. */
export function takesResolution({ kind }: { readonly kind: ExceptionKind }, resolution: Resolution): boolean {
  const accepted: readonly Resolution[] = EXCEPTION_KINDS[kind].resolutions;
  return accepted.includes(resolution);
}
