import * as z from "zod";
import { IDENTITY_TRUSTED_DAYS } from "../contract/terms.ts";
import { rutSchema } from "../contract/vocabulary/rut.ts";
import { META_PROVIDER_SCOPE } from "../contract/vocabulary/scopes.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { agreedFields, basisPoints } from "./agreed-fields.ts";
import { CREDENTIAL_KINDS } from "./credential.ts";
import { type IssuedCredential, issueCredential } from "./issue-credential.ts";
import { agreeOnCommission } from "./maximum-rate.ts";
import { originsSchema, requireSecure, returnUrlsSchema } from "./origins.ts";
import { auditProvider, type ProviderOperations } from "./provider-operations.ts";
import { insertProvider } from "./provider-store.ts";

/** The terms of a new provider. The commission and how it is taxed are required: they have no default. */
export const newProviderSchema = z.object({
  ...agreedFields,
  rut: rutSchema,
  commissionLegalBasis: agreedFields.commissionLegalBasis.default(null),
  supportPhone: agreedFields.supportPhone.default(null),
  supportWhatsapp: agreedFields.supportWhatsapp.default(null),
  logoUrl: agreedFields.logoUrl.default(null),
  meta: z.boolean().default(false),
  active: z.boolean().default(true),
  origins: originsSchema.default([]),
  returnUrls: returnUrlsSchema.default([]),
  framed: z.boolean().default(true),
  cardPage: agreedFields.cardPage.default(false),
  knownPatients: agreedFields.knownPatients.default(false),
  identityTrustedDays: agreedFields.identityTrustedDays.default(IDENTITY_TRUSTED_DAYS),
  takesMinors: agreedFields.takesMinors.default(false),
  captureFirst: agreedFields.captureFirst.default(false),
  unpaidOrderExpiryMinutes: agreedFields.unpaidOrderExpiryMinutes.default(null),
});
export type NewProvider = z.input<typeof newProviderSchema>;

/** Additions that a provider of a certain kind gets at its creation. */
export interface ProviderBeginning {
  /** When its credentials end; never if omitted. */
  readonly credentialsEndAt?: Date;
  /** Writes rows that must be created together with the provider. */
  readonly beside?: (tx: Transaction, provider: Provider) => Promise<void>;
}

/**
 * Creates a provider with one credential of each kind. The credentials' values are only in the result and cannot be
 * read again. Throws `ZodError` for invalid input, `OriginNotSecure`, or `CommissionAboveMaximumRate`.
 */
export async function createProvider(
  operations: ProviderOperations,
  input: NewProvider,
  { credentialsEndAt, beside }: ProviderBeginning = {},
): Promise<{ provider: Provider; credentials: IssuedCredential[] }> {
  const { db, clock, ids, keyring, environment } = operations;
  const wanted = newProviderSchema.parse(input);
  requireSecure([...wanted.origins, ...wanted.returnUrls], environment);
  const at = clock.now();
  const provider: Provider = {
    id: ids.uuid(),
    name: wanted.name,
    rut: wanted.rut,
    environment,
    active: wanted.active,
    scopes: wanted.meta ? [META_PROVIDER_SCOPE] : [],
    origins: wanted.origins,
    returnUrls: wanted.returnUrls,
    isFramed: wanted.framed,
    logoUrl: wanted.logoUrl,
    appearance: {},
    supportEmail: wanted.supportEmail,
    supportPhone: wanted.supportPhone,
    supportWhatsapp: wanted.supportWhatsapp,
    settings: {
      commissionBasisPoints: basisPoints(wanted.commissionPercentage),
      commissionTax: wanted.commissionTax,
      captureFirst: wanted.captureFirst,
      cardPage: wanted.cardPage,
      knownPatients: wanted.knownPatients,
      identityTrustedDays: wanted.identityTrustedDays,
      takesMinors: wanted.takesMinors,
      unpaidOrderExpiryMinutes: wanted.unpaidOrderExpiryMinutes,
    },
    clockOffsetMs: 0,
  };
  const credentials = await inTransaction(db, async (tx) => {
    await insertProvider(tx, provider, at);
    await agreeOnCommission(tx, { provider, legalBasis: wanted.commissionLegalBasis, at });
    const issued: IssuedCredential[] = [];
    for (const kind of CREDENTIAL_KINDS) {
      issued.push(
        await issueCredential(
          tx,
          { ids, keyring },
          { providerId: provider.id, kind, at, endsAt: credentialsEndAt ?? null },
        ),
      );
    }
    await beside?.(tx, provider);
    const details = wanted.commissionLegalBasis === null ? {} : { commission_legal_basis: wanted.commissionLegalBasis };
    await auditProvider(tx, operations, { act: "provider.created", providerId: provider.id, details });
    return issued;
  });
  return { provider, credentials };
}
