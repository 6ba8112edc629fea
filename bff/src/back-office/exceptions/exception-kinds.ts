import type { ExceptionPart } from "../../platform/exceptions.ts";
import { ROOM_KINDS, ROOM_RESOLUTIONS } from "./room-exceptions.ts";
import { sharedExceptions } from "./shared-exceptions.ts";

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
  const taken: readonly Resolution[] = EXCEPTION_KINDS[kind].resolutions;
  return taken.includes(resolution);
}
