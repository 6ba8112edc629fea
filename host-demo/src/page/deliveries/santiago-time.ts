const PARTS = new Intl.DateTimeFormat("en-CA", {
  timeZone: "America/Santiago",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** A moment as the clinic's clock shows it, in the form of a `datetime-local` field: `2026-11-21T09:30`. */
export function santiagoTimeOf(at: Date): string {
  const parts = Object.fromEntries(PARTS.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

/**
 * The moment at which the clinic's clock shows what a `datetime-local` field says, wherever the browser is; null where
 * the field says nothing. Of an hour that comes twice when summer ends it is one of the two.
 */
export function momentOfSantiago(shown: string): Date | null {
  const asUtc = Date.parse(`${shown}Z`);
  if (Number.isNaN(asUtc)) return null;
  const aheadAt = (at: number) => Date.parse(`${santiagoTimeOf(new Date(at))}Z`) - Math.floor(at / 60_000) * 60_000;
  // What the clock is ahead of UTC near the moment may differ from what it is at the moment.
  const near = asUtc - aheadAt(asUtc);
  return new Date(asUtc - aheadAt(near));
}
