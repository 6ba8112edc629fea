/** A thing of a list that grows, and the moment that it tells of. */
interface Told {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * The order in which to show what is known now, given the ids that were shown before: those stay where they were, and
 * what came since follows, by its moment. Who reads along sees lines being added and none that moves, also when one side
 * learns late of what happened early, or has moved its clock.
 */
export function arrivalOrder<T extends Told>(shown: readonly string[], known: readonly T[]): readonly T[] {
  const place = new Map(shown.map((id, position) => [id, position]));
  const placeOf = ({ id }: T): number => place.get(id) ?? shown.length;
  return known.toSorted((a, b) => placeOf(a) - placeOf(b) || a.at.localeCompare(b.at));
}
