import type { Purchase } from "../backend/purchase.ts";
import type { ClaimOutcome, SandboxTime, Told } from "../backend/sandbox.ts";
import type { EndpointDeliveries } from "../backend/webhook-management.ts";
import type { Person } from "../scenarios/people.ts";
import type { Service } from "../scenarios/services.ts";

/** What the clinic's page knows at start. */
export interface ClinicFacts {
  readonly clinic: { readonly name: string; readonly rut: string };
  readonly services: readonly Service[];
  readonly people: readonly Person[];
  readonly widgetHostUrl: string;
}

/** Thrown when the clinic's own back end refuses; the words are for the person at the page. */
export class ClinicRefused extends Error {
  override name = "ClinicRefused";
}

export function wordsOf(error: unknown): string {
  return error instanceof ClinicRefused ? error.message : "No pudimos hablar con la clínica. Revisa tu conexión.";
}

async function call<Answer>(path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const answer: unknown = response.status === 204 ? null : await response.json();
  if (!response.ok) {
    const detail = typeof answer === "object" && answer !== null && "detail" in answer ? String(answer.detail) : "";
    throw new ClinicRefused(detail === "" ? "La clínica no respondió." : detail);
  }
  // Our own back end, built from the same tree as this page.
  return answer as Answer;
}

export function readClinic(): Promise<ClinicFacts> {
  return call("/api/clinic");
}

export function readPurchases(): Promise<readonly Purchase[]> {
  return call("/api/purchases");
}

/** Creates the order and mints the token on the back end; returns the address for the frame. */
export function startCheckout(service: Service, person: Person): Promise<{ id: string; url: string }> {
  const { rut, firstName, lastName, email, phone } = person;
  return call("/api/purchases", { serviceId: service.id, rut, firstName, lastName, email, phone });
}

/** A fresh address for the frame of a purchase that was begun before. */
export function mintAgain(purchaseId: string): Promise<{ url: string }> {
  return call(`/api/purchases/${purchaseId}/token`, {});
}

/**
 * Calls back with the purchase now and at every change, until the returned function is called. A feed that breaks off is
 * taken up again by the browser; one that the clinic refuses is not.
 */
export function watchPurchase(
  purchaseId: string,
  onChange: (purchase: Purchase) => void,
  onRefused: () => void,
): () => void {
  const feed = new EventSource(`/api/purchases/${purchaseId}/feed`);
  feed.addEventListener("message", (message: MessageEvent<string>) => {
    onChange(JSON.parse(message.data) as Purchase);
  });
  feed.addEventListener("error", () => {
    if (feed.readyState === EventSource.CLOSED) onRefused();
  });
  return () => feed.close();
}

/** The clinic's time, which the time machine may have moved ahead. */
export function readTime(): Promise<SandboxTime> {
  return call("/api/time");
}

export function passDays(purchaseId: string, days: number): Promise<SandboxTime> {
  return call(`/api/purchases/${purchaseId}/bench/days`, { days });
}

/** What the patient has been sent, by mail and to the telephone, each newest first. */
export function readNotices(purchaseId: string): Promise<Told> {
  return call(`/api/purchases/${purchaseId}/notices`);
}

/** Where a notice is shown as the mail that it was. */
export function mailAddress(purchaseId: string, noticeId: string): string {
  return `/api/purchases/${purchaseId}/notices/${noticeId}/mail`;
}

export function settleClaim(purchaseId: string, outcome: ClaimOutcome): Promise<void> {
  return call(`/api/purchases/${purchaseId}/bench/claim`, { outcome });
}

export function failWebhooks(purchaseId: string, failNext: number): Promise<void> {
  return call(`/api/purchases/${purchaseId}/bench/webhooks`, { failNext });
}

/** Gives back an amount in CLP, or with null all that is left. */
export function refund(purchaseId: string, amountClp: number | null): Promise<void> {
  return call(`/api/purchases/${purchaseId}/refund`, { amountClp });
}

/** A screen of the checkout in one state, as the gallery names it. */
export interface GalleryState {
  readonly name: string;
  readonly group: string;
}

export function readGallery(): Promise<readonly GalleryState[]> {
  return call("/api/gallery");
}

export interface Deliveries {
  readonly endpoints: readonly EndpointDeliveries[];
  /** The clinic's own reference of each order, by its hash. */
  readonly references: Readonly<Record<string, string>>;
}

export function readDeliveries(): Promise<Deliveries> {
  return call("/api/deliveries");
}

export function replayDelivery(endpointId: string, deliveryId: string): Promise<void> {
  return call(`/api/deliveries/${endpointId}/replay`, { deliveryId });
}

/** Sends again what was made since a moment and has ended, all of it or what could not be delivered; says how many. */
export function replaySince(
  endpointId: string,
  { since, onlyFailed }: { since: Date; onlyFailed: boolean },
): Promise<{ replayed: number }> {
  return call(`/api/deliveries/${endpointId}/replay-since`, { since: since.toISOString(), onlyFailed });
}

export function sendTestEvent(endpointId: string): Promise<void> {
  return call(`/api/deliveries/${endpointId}/test`, {});
}
