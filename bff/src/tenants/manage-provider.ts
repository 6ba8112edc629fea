import * as z from "zod";
import { IDENTITY_TRUSTED_DAYS } from "../contract/terms.ts";
import { rutSchema } from "../contract/vocabulary/rut.ts";
import { META_PROVIDER_SCOPE } from "../contract/vocabulary/scopes.ts";
import { type Appearance, appearanceSchema } from "../contract/widget-tokens.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { CREDENTIAL_KINDS } from "./credential.ts";
import { type IssuedCredential, issueCredential } from "./credentials.ts";
import { agreeOnCommission } from "./maximum-rate.ts";
import {
  addClockOffset,
  insertProvider,
  lockProvider,
  replaceOrigins,
  updateActive,
  updateProvider,
  writeReturnUrls,
} from "./provider-store.ts";
import { agreedFields, basisPoints, originsSchema, requireSecure, returnUrlsSchema } from "./provider-terms.ts";
import { auditProvider, ProviderNotFound, type ProviderOperations } from "./providers.ts";

const looks = appearanceSchema.shape;

/** Omitted fields keep their values; `null` clears an optional field. */
const providerChangeSchema = z.strictObject({
  ...z.object(agreedFields).partial().shape,
  appearance: z
    .strictObject({
      accent: z.nullable(looks.accent),
      radius: z.nullable(looks.radius),
      font: z.nullable(looks.font),
      color_scheme: z.nullable(looks.color_scheme),
      density: z.nullable(looks.density),
      labels: z.nullable(looks.labels),
    })
    .partial()
    .optional(),
});

export type ProviderChange = z.input<typeof providerChangeSchema>;

type ParsedChange = z.output<typeof providerChangeSchema>;

/**
 * Changes a provider's terms and how the widget finds it. Existing orders keep the commission, its regime and the
 * cancellation time with which they were created. Returns the changed provider. Throws `ZodError`, `ProviderNotFound`
 * or `CommissionAboveMaximumRate`.
 */
export function changeProvider(
  operations: ChangeOperations & Pick<ProviderOperations, "db">,
  providerId: string,
  input: ProviderChange,
): Promise<Provider> {
  return inTransaction(operations.db, (tx) => changeWithin(tx, operations, { providerId, input }));
}

type ChangeOperations = Pick<ProviderOperations, "clock" | "ids" | "actor">;

/** Changes a provider in an open transaction; see `changeProvider`. */
export async function changeWithin(
  tx: Transaction,
  operations: ChangeOperations,
  { providerId, input }: { readonly providerId: string; readonly input: ProviderChange },
): Promise<Provider> {
  const change = providerChangeSchema.parse(input);
  const before = await lockProvider(tx, providerId);
  if (before === null) throw new ProviderNotFound("There is no provider with this id.");
  const after = changed(before, change);
  const at = operations.clock.now();
  await updateProvider(tx, after, at);
  const { commissionPercentage, commissionLegalBasis: legalBasis = null } = change;
  // A commission and its legal basis are agreed on together.
  if (commissionPercentage !== undefined || legalBasis !== null)
    await agreeOnCommission(tx, { provider: after, legalBasis, at });
  await auditProvider(tx, operations, {
    act: "provider.changed",
    providerId,
    details: {
      from: agreedOf(before),
      to: agreedOf(after),
      ...(legalBasis === null ? {} : { commission_legal_basis: legalBasis }),
    },
  });
  return after;
}

function changed(before: Provider, change: ParsedChange): Provider {
  const { name, commissionPercentage, supportEmail, supportPhone, supportWhatsapp, logoUrl, appearance } = change;
  const { commissionTax, captureFirst, cardPage, knownPatients, identityTrustedDays, takesMinors } = change;
  const { unpaidOrderExpiryMinutes } = change;
  const { settings } = before;
  return {
    ...before,
    name: name ?? before.name,
    supportEmail: supportEmail ?? before.supportEmail,
    supportPhone: supportPhone === undefined ? before.supportPhone : supportPhone,
    supportWhatsapp: supportWhatsapp === undefined ? before.supportWhatsapp : supportWhatsapp,
    logoUrl: logoUrl === undefined ? before.logoUrl : logoUrl,
    appearance: changedAppearance(before.appearance, appearance),
    settings: {
      commissionBasisPoints:
        commissionPercentage === undefined ? settings.commissionBasisPoints : basisPoints(commissionPercentage),
      commissionTax: commissionTax ?? settings.commissionTax,
      captureFirst: captureFirst ?? settings.captureFirst,
      cardPage: cardPage ?? settings.cardPage,
      knownPatients: knownPatients ?? settings.knownPatients,
      identityTrustedDays: identityTrustedDays ?? settings.identityTrustedDays,
      takesMinors: takesMinors ?? settings.takesMinors,
      unpaidOrderExpiryMinutes:
        unpaidOrderExpiryMinutes === undefined ? settings.unpaidOrderExpiryMinutes : unpaidOrderExpiryMinutes,
    },
  };
}

function changedAppearance(before: Appearance, change: NonNullable<ParsedChange["appearance"]> = {}): Appearance {
  const changes = Object.entries(change).filter(([, value]) => value !== undefined);
  const after = Object.entries({ ...before, ...Object.fromEntries(changes) }).filter(([, value]) => value !== null);
  return appearanceSchema.parse(Object.fromEntries(after));
}

function agreedOf({ name, supportEmail, supportPhone, supportWhatsapp, logoUrl, appearance, settings }: Provider) {
  return { name, supportEmail, supportPhone, supportWhatsapp, logoUrl, appearance, ...settings };
}

/**
 * Enables or disables a provider; while disabled, all its credentials are answered with 401. Throws `ProviderNotFound`.
 */
export async function setActive(
  operations: Pick<ProviderOperations, "db" | "clock" | "ids" | "actor">,
  providerId: string,
  active: boolean,
): Promise<void> {
  const { db, clock } = operations;
  await inTransaction(db, async (tx) => {
    if (!(await updateActive(tx, providerId, active, clock.now())))
      throw new ProviderNotFound("There is no provider with this id.");
    await auditProvider(tx, operations, { act: active ? "provider.activated" : "provider.deactivated", providerId });
  });
}

/**
 * Replaces the origins that may frame the widget and call the public endpoints. Returns them in normalised form. Throws
 * `ZodError`, `OriginNotSecure` or `ProviderNotFound`.
 */
export async function setOrigins(
  operations: Omit<ProviderOperations, "keyring">,
  providerId: string,
  input: readonly string[],
): Promise<readonly string[]> {
  const { db, clock, environment } = operations;
  const origins = originsSchema.parse(input);
  requireSecure(origins, environment);
  await inTransaction(db, async (tx) => {
    if (!(await replaceOrigins(tx, providerId, origins, clock.now())))
      throw new ProviderNotFound("There is no provider with this id.");
    await auditProvider(tx, operations, { act: "provider.origins_set", providerId, details: { origins } });
  });
  return origins;
}

/**
 * Replaces the return URLs; a token that names a removed one no longer returns patients. Returns them in normalised
 * form. Throws `ZodError`, `OriginNotSecure` or `ProviderNotFound`.
 */
export async function setReturnUrls(
  operations: Omit<ProviderOperations, "keyring">,
  providerId: string,
  input: readonly string[],
): Promise<readonly string[]> {
  const { db, clock, environment } = operations;
  const returnUrls = returnUrlsSchema.parse(input);
  requireSecure(returnUrls, environment);
  await inTransaction(db, async (tx) => {
    if (!(await writeReturnUrls(tx, providerId, returnUrls, clock.now())))
      throw new ProviderNotFound("There is no provider with this id.");
    await auditProvider(tx, operations, {
      act: "provider.return_urls_set",
      providerId,
      details: { return_urls: returnUrls },
    });
  });
  return returnUrls;
}

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

/**
 * Moves a staging provider's own clock forward. The caller must move its timers by as much in the same transaction
 * (`shiftTimers`). In production a constraint of the table prevents it.
 */
export function moveProviderClock(
  tx: Transaction,
  { providerId, milliseconds, at }: { readonly providerId: string; readonly milliseconds: number; readonly at: Date },
): Promise<void> {
  return addClockOffset(tx, { providerId, milliseconds, at });
}
