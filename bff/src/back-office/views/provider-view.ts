import type { Provider } from "../../platform/provider.ts";
import type { ShownCredential } from "../../tenants/providers.ts";
import type { WebhookEndpoint } from "../../webhooks/webhook-endpoint.ts";

export function providerView(provider: Provider): object {
  const { settings } = provider;
  return {
    id: provider.id,
    name: provider.name,
    rut: provider.rut,
    environment: provider.environment,
    active: provider.active,
    scopes: provider.scopes,
    origins: provider.origins,
    return_urls: provider.returnUrls,
    logo_url: provider.logoUrl,
    appearance: provider.appearance,
    support_email: provider.supportEmail,
    support_phone: provider.supportPhone,
    support_whatsapp: provider.supportWhatsapp,
    commission_percentage: settings.commissionBasisPoints / 100,
    commission_tax: settings.commissionTax,
    capture_first: settings.captureFirst,
    card_page: settings.cardPage,
    known_patients: settings.knownPatients,
    identity_trusted_days: settings.identityTrustedDays,
    takes_minors: settings.takesMinors,
    unpaid_order_expiry_minutes: settings.unpaidOrderExpiryMinutes,
  };
}

export function credentialView({ id, kind, value, hint, createdAt, endsAt }: ShownCredential) {
  return { id, kind, value, hint, created_at: createdAt.toISOString(), ends_at: endsAt?.toISOString() ?? null };
}

export function endpointStateView({ id, url, kinds, pausedAt, failingAt }: WebhookEndpoint) {
  return { id, url, kinds, paused: pausedAt !== null, failing_since: failingAt?.toISOString() ?? null };
}
