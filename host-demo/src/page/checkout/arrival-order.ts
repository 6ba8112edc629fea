/** An entry of a growing list, with the moment of the event that it reports. */
interface Entry {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * The order in which to show the known entries. Entries that were shown before keep their place, and new ones follow by
 * their moment. A reader sees lines being added but none that moves, even if one side reports an early event late, or
 * its clock was moved.
 */
export function arrivalOrder<T extends Entry>(shown: readonly string[], known: readonly T[]): readonly T[] {
  const place = new Map(shown.map((id, position) => [id, position]));
  const placeOf = ({ id }: T): number => place.get(id) ?? shown.length;
  return known.toSorted((a, b) => placeOf(a) - placeOf(b) || a.at.localeCompare(b.at));
}
