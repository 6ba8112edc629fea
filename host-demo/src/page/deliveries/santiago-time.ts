const PARTS = new Intl.DateTimeFormat("en-CA", {
  timeZone: "America/Santiago",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** A moment on the clinic's clock, in the format of a `datetime-local` field: `2026-11-21T09:30`. */
export function santiagoTimeOf(at: Date): string {
  const parts = Object.fromEntries(PARTS.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

/**
 * The moment of a `datetime-local` value on the clinic's clock, in whatever time zone the browser runs; null if the
 * value is not a time. For the hour that occurs twice at the end of summer it is one of the two.
 */
export function momentOfSantiago(shown: string): Date | null {
  const asUtc = Date.parse(`${shown}Z`);
  if (Number.isNaN(asUtc)) return null;
  const aheadAt = (at: number) => Date.parse(`${santiagoTimeOf(new Date(at))}Z`) - Math.floor(at / 60_000) * 60_000;
  // The first offset from UTC is only a guess, because the offset can change near the moment; it is read again there.
  const near = asUtc - aheadAt(asUtc);
  return new Date(asUtc - aheadAt(near));
}
