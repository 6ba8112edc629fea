import { type RawBuilder, sql } from "kysely";

/** The stored answer for repeats with the same `Idempotency-Key`, written together with the change that it reports. */
export interface KeptAnswer {
  readonly method: string;
  readonly path: string;
  readonly keyHash: string;
  readonly bodyHash: string;
  readonly status: number;
  readonly bodySealed: string;
  readonly expiresAt: Date;
  readonly answeredAt: Date;
}

/**
 * CTEs that keep answers in the statement that makes the change, one per row of the CTE `source`; a request without a
 * key has no row. `source` has the columns `provider_id`, `method`, `path`, `key_hash`, `body_hash`, `status`,
 * `body_sealed`, `expires_at`, `answered_at`. A key that was used before violates `idempotency_keys_pkey`, so that the
 * whole statement has no effect.
 */
export function keepingAnswers(source: string): RawBuilder<unknown> {
  return sql`
    insert into idempotency_keys (provider_id, method, path, key, body_hash, status, body_sealed, expires_at, created_at)
    select provider_id, method, path, key_hash, body_hash, status, body_sealed, expires_at, answered_at
    from ${sql.table(source)} where key_hash is not null`;
}
