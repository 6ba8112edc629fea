import * as z from "zod";
import { type Appearance, appearanceSchema } from "../contract/widget-tokens.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { agreedFields, basisPoints } from "./agreed-fields.ts";
import { agreeOnCommission } from "./maximum-rate.ts";
import { originsSchema, requireSecure, returnUrlsSchema } from "./origins.ts";
import { auditProvider, ProviderNotFound, type ProviderOperations } from "./provider-operations.ts";
import { lockProvider, replaceOrigins, updateActive, updateProvider, writeReturnUrls } from "./provider-store.ts";

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
