import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import { type fillWithdrawal, namedTexts, namedWithdrawal } from "../orders/legal-texts.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { namedPatient } from "../patients/patients.ts";
import { namedRegistration } from "../patients/unproven.ts";
import { columnsTogether, type ReadColumn } from "../platform/database/read-column.ts";
import type { Environment } from "../platform/provider.ts";
import { namedCredentials, type PublicCredentials } from "../tenants/providers.ts";
import type { TokenColumns } from "./tokens/widget-token-store.ts";

/** The data that a session shows besides its token, order and provider. */
export interface SessionFacts {
  readonly credentials: PublicCredentials | null;
  /** The record of the token's RUT. */
  readonly record: Beneficiary | null;
  /** The registration made with the token. It may be too old to be proved. */
  readonly registration: Beneficiary | null;
  readonly texts: readonly LegalTextName[] | null;
  /** The operator's sentence about the right of withdrawal, in each language. */
  readonly withdrawal: Parameters<typeof fillWithdrawal>[0] | null;
}

/** Reads the data that a session shows, within the statement that reads its token. `at` is real time. */
export function sessionFacts(
  { id, providerId, rut }: TokenColumns,
  { environment, at }: { readonly environment: Environment; readonly at: Date },
): ReadColumn<SessionFacts> {
  return columnsTogether({
    credentials: namedCredentials(providerId, at),
    record: namedPatient({ environment, providerId, rut }),
    registration: namedRegistration({ widgetTokenId: id, rut }),
    texts: namedTexts(environment),
    withdrawal: namedWithdrawal(environment),
  });
}
