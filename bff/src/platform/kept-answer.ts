import { type RawBuilder, sql } from "kysely";

/** What a repeat under the same `Idempotency-Key` is answered from, written together with what the answer tells of. */
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
 * Keeps answers in the statement that does what they tell of: one for each row of a CTE with the columns `provider_id`,
 * `method`, `path`, `key_hash`, `body_hash`, `status`, `body_sealed`, `expires_at`, `answered_at`; none where there is no
 * key. A key that was used before breaks `idempotency_keys_pkey`, so that the whole statement does nothing.
 */
export function keepingAnswers(source: string): RawBuilder<unknown> {
  return sql`
    insert into idempotency_keys (provider_id, method, path, key, body_hash, status, body_sealed, expires_at, created_at)
    select provider_id, method, path, key_hash, body_hash, status, body_sealed, expires_at, answered_at
    from ${sql.table(source)} where key_hash is not null`;
}
