import type { Report } from "../backend/examination.ts";
import type { Purchase } from "../backend/purchase.ts";
import type { ClaimOutcome, PatientMessages, SandboxTime } from "../backend/sandbox.ts";
import type { EndpointDeliveries } from "../backend/webhook-management.ts";
import type { Person } from "../scenarios/people.ts";
import type { Service } from "../scenarios/services.ts";

/** The data that the clinic's page reads at start. */
export interface ClinicFacts {
  readonly clinic: { readonly name: string; readonly rut: string };
  readonly services: readonly Service[];
  readonly people: readonly Person[];
  readonly widgetHostUrl: string;
  /** The gallery of mails and documents; null if this environment has none. */
  readonly mailsGalleryUrl: string | null;
  /** The API for prices in two parts, and the public key for it. */
  readonly quotes: { readonly api: string; readonly publicKey: string };
}

/** Thrown when the clinic's own backend refuses; the message is for the user of the page. */
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
  // Not validated, because the backend is our own and is built from the same sources as this page.
  return answer as Answer;
}

export function readClinic(): Promise<ClinicFacts> {
  return call("/api/clinic");
}

/** The findings of `aapd-dev doctor` in this page and in the clinic's webhook receiver. */
export function examineIntegration(): Promise<Report> {
  return call("/api/examination", {});
}

export function readPurchases(): Promise<readonly Purchase[]> {
  return call("/api/purchases");
}

/** Creates the order and mints the token on the backend; returns the URL of the frame. */
export function startCheckout(service: Service, person: Person): Promise<{ id: string; url: string }> {
  const { rut, firstName, lastName, email, phone } = person;
  return call("/api/purchases", { serviceId: service.id, rut, firstName, lastName, email, phone });
}

/** How the patient at the desk opens the checkout on their phone. */
export interface DeskCode {
  readonly url: string;
  readonly qrSvg: string;
  readonly validMinutes: number;
}

export function startAtDesk(person: Person, amountClp: number): Promise<DeskCode & { readonly id: string }> {
  const { rut, firstName, lastName, email, phone } = person;
  return call("/api/desk", { rut, firstName, lastName, email, phone, amountClp });
}

export function codeAgain(purchaseId: string): Promise<DeskCode> {
  return call(`/api/purchases/${purchaseId}/code`, {});
}

export function mailCheckout(purchaseId: string): Promise<void> {
  return call(`/api/purchases/${purchaseId}/mail`, {});
}

/** A new URL of the frame for a purchase that was begun before. */
export function mintAgain(purchaseId: string): Promise<{ url: string }> {
  return call(`/api/purchases/${purchaseId}/token`, {});
}

/**
 * Calls back with the purchase now and at every change, until the returned function is called. The browser reconnects
 * after an interruption, but not if the clinic refuses the request.
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

/** The mails and messages to the patient, each newest first. */
export function readNotices(purchaseId: string): Promise<PatientMessages> {
  return call(`/api/purchases/${purchaseId}/notices`);
}

/** The URL that shows a notification as the mail that was sent. */
export function mailAddress(purchaseId: string, noticeId: string): string {
  return `/api/purchases/${purchaseId}/notices/${noticeId}/mail`;
}

export function settleClaim(purchaseId: string, outcome: ClaimOutcome): Promise<void> {
  return call(`/api/purchases/${purchaseId}/bench/claim`, { outcome });
}

export function failWebhooks(purchaseId: string, failNext: number): Promise<void> {
  return call(`/api/purchases/${purchaseId}/bench/webhooks`, { failNext });
}

/** Refunds an amount in CLP, or with null everything that is left. */
export function refund(purchaseId: string, amountClp: number | null): Promise<void> {
  return call(`/api/purchases/${purchaseId}/refund`, { amountClp });
}

/** A screen of the checkout in one state, under its name in the gallery. */
export interface GalleryState {
  readonly name: string;
  readonly group: string;
}

export function readGallery(): Promise<readonly GalleryState[]> {
  return call("/api/gallery");
}

export interface Deliveries {
  readonly endpoints: readonly EndpointDeliveries[];
  /** The clinic's own references of orders, by order hash. */
  readonly references: Readonly<Record<string, string>>;
}

export function readDeliveries(): Promise<Deliveries> {
  return call("/api/deliveries");
}

export function replayDelivery(endpointId: string, deliveryId: string): Promise<void> {
  return call(`/api/deliveries/${endpointId}/replay`, { deliveryId });
}

/**
 * Repeats the ended deliveries since a moment, either all or only those that could not be delivered; returns how many.
 */
export function replaySince(
  endpointId: string,
  { since, onlyFailed }: { since: Date; onlyFailed: boolean },
): Promise<{ replayed: number }> {
  return call(`/api/deliveries/${endpointId}/replay-since`, { since: since.toISOString(), onlyFailed });
}

export function sendTestEvent(endpointId: string): Promise<void> {
  return call(`/api/deliveries/${endpointId}/test`, {});
}
