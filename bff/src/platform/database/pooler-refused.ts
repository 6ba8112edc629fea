/** Thrown when a pooler stands in between that the process was not told of, or that keeps no limits. The message is for the operator. */
export class PoolerRefused extends Error {
  override readonly name = "PoolerRefused";
  readonly code = "pooler_refused";
}

const NOT_TOLD =
  "DATABASE_POOLER: a pooler that does not give each process connections of its own stands before the database. Set DATABASE_POOLER=transaction, or name PostgreSQL itself in DATABASE_URL.";

/** Whether an error says that a pooler takes no settings at the start of a connection. */
export function isPoolersRefusal(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("unsupported startup parameter");
}

export function poolerNotTold(options?: ErrorOptions): PoolerRefused {
  return new PoolerRefused(NOT_TOLD, options);
}
