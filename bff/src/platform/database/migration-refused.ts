/** Thrown when the database and the migration files disagree. The message is for the operator. */
export class MigrationRefused extends Error {
  override readonly name = "MigrationRefused";
  readonly code = "migration_refused";
}
