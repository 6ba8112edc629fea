import type { Credential } from "../contract/endpoint.ts";
import type { CommissionTax } from "../contract/vocabulary/commission-tax.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { META_PROVIDER_SCOPE } from "../contract/vocabulary/scopes.ts";
import type { Appearance } from "../contract/widget-tokens.ts";

export type Environment = "staging" | "production";

/** The terms agreed with a provider. */
export interface ProviderSettings {
  /**
   * Commission in basis points of the total less refunds, VAT included if it applies. It is charged with the deferred
   * part. There is no default: production refuses to create a provider without one.
   */
  readonly commissionBasisPoints: number;
  /** Like the commission, it has no default. */
  readonly commissionTax: CommissionTax;
  /**
   * Whether to capture the first payment before the credit decision; the order then passes through `partially_paid`.
   * AAPD does not use it.
   */
  readonly captureFirst: boolean;
  /** The minutes after which unpaid orders are cancelled; `null` for never. */
  readonly unpaidOrderExpiryMinutes: number | null;
  /** Whether its patients enter their card on the processor's own page, if the processor has one. */
  readonly cardPage: boolean;
  /** Whether its patients may save a card, and be recognised by a code. */
  readonly knownPatients: boolean;
  /** How many days patients are recognised without their document after a match in the registry. */
  readonly identityTrustedDays: number;
  /** Whether a patient who is a minor according to the registry may pay. */
  readonly takesMinors: boolean;
}

/** A partner's record in the service. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly rut: Rut;
  readonly environment: Environment;
  readonly active: boolean;
  readonly scopes: readonly string[];
  readonly origins: readonly string[];
  /** The URLs to which a checkout outside of a frame may return patients. */
  readonly returnUrls: readonly string[];
  /** False if the provider opens the widget only as a full page; otherwise it must register the pages that frame it. */
  readonly isFramed: boolean;
  readonly logoUrl: string | null;
  readonly appearance: Appearance;
  readonly supportEmail: string;
  readonly supportPhone: string | null;
  /** In E.164. */
  readonly supportWhatsapp: string | null;
  readonly settings: ProviderSettings;
  /** How far this provider's clock is ahead of real time. Always 0 outside of the sandbox. */
  readonly clockOffsetMs: number;
}

export function isMetaProvider(provider: Provider): boolean {
  return provider.scopes.includes(META_PROVIDER_SCOPE);
}

/** The provider's current time. */
export function providerNow(provider: Pick<Provider, "clockOffsetMs">, realNow: Date): Date {
  return new Date(realNow.getTime() + provider.clockOffsetMs);
}

/** Converts a moment of the provider's own time to real time, which timers use. */
export function realMoment(provider: Pick<Provider, "clockOffsetMs">, moment: Date): Date {
  return new Date(moment.getTime() - provider.clockOffsetMs);
}

/** The caller of a request, identified by a credential; by the last one if an endpoint requires more than one. */
export interface Principal {
  readonly provider: Provider;
  readonly credential: Credential;
  readonly credentialId: string;
}
