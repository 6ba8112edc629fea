import { sql } from "kysely";
import { consentTexts } from "../src/patients/consent-texts.ts";
import type { StatementPart } from "../src/platform/database/transaction.ts";

/** All current texts as shown at one time, as the body of the CTE that consents are stored with. */
export function allTextsShown(at: Date, embeddingOrigin: string | null = null): StatementPart {
  const hashes = [...consentTexts("es-CL"), ...consentTexts("en")].map(({ text_sha256 }) => text_sha256);
  return sql`
    select sha256, ${at}::timestamptz as shown_at, ${embeddingOrigin}::text as embedding_origin
    from unnest(${hashes}::text[]) as sha256`;
}
