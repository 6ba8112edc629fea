import type { ExceptionPart } from "../../platform/exceptions.ts";
import { ROOM_KINDS, ROOM_RESOLUTIONS } from "./room-exceptions.ts";
import { sharedExceptions } from "./shared-exceptions.ts";

/** What an operator may do about an exception, each with an audit row. */
export const RESOLUTIONS = {
  ...ROOM_RESOLUTIONS,
  ...sharedExceptions.resolutions,
} as const satisfies ExceptionPart["resolutions"];
export type Resolution = keyof typeof RESOLUTIONS;

/** What a person has to settle, and how they can. A kind that names a resolution which is not there does not compile. */
export const EXCEPTION_KINDS = {
  ...ROOM_KINDS,
  ...sharedExceptions.kinds,
} as const satisfies Record<string, { readonly resolutions: readonly Resolution[] }>;
export type ExceptionKind = keyof typeof EXCEPTION_KINDS;

/** Everything that a room says about a kind. */
export function partOf(kind: ExceptionKind): ExceptionPart["kinds"][string] {
  return EXCEPTION_KINDS[kind];
}

export function isExceptionKind(text: string): text is ExceptionKind {
  return Object.hasOwn(EXCEPTION_KINDS, text);
}

/** Can an exception of this kind be resolved in this way? */
export function takesResolution({ kind }: { readonly kind: ExceptionKind }, resolution: Resolution): boolean {
  const taken: readonly Resolution[] = EXCEPTION_KINDS[kind].resolutions;
  return taken.includes(resolution);
}
