import { WEBHOOK_TIMEOUT_SECONDS } from "../contract/terms.ts";
import type { Clock } from "../platform/clock.ts";
import { FetchFailed, type GuardedAnswer, type GuardedFetch, UrlRefused } from "../platform/http/guarded-fetch.ts";
import { currentTraceparent } from "../platform/tracing/tracing.ts";
import type { AttemptRecord } from "./attempt-store.ts";
import type { ClaimedDelivery } from "./delivery-claim-store.ts";
import { type AttemptFailure, type AttemptOutcome, classifyStatus, nextAttemptAt } from "./delivery-schedule.ts";
import { signatureHeaders } from "./signature.ts";
import { webhookBody } from "./webhook-body.ts";

/** The maximum number of bytes of a receiver's answer that are read and stored. */
const ANSWER_BYTES_MAX = 4_096;

export interface AttemptDependencies {
  readonly guardedFetch: Pick<GuardedFetch, "fetch">;
  readonly clock: Clock;
  /** The brand's word that replaces `Service` in the header name `X-Service-Signature`. */
  readonly signatureWord: string;
}

export interface Outgoing {
  /** The bytes that `webhookBytes` returned. */
  readonly body: Uint8Array;
  /** The endpoint's live secrets, oldest first. */
  readonly secrets: readonly [string, ...string[]];
}

/**
 * The bytes that a delivery sends. They are the same for every attempt and for every endpoint that gets the event as
 * this kind.
 */
export function webhookBytes(delivery: ClaimedDelivery): Buffer {
  return Buffer.from(JSON.stringify(bodyOf(delivery)));
}

/** Makes one attempt and returns its outcome. It never throws for anything that the receiver does. */
export async function attemptDelivery(
  { guardedFetch, clock, signatureWord }: AttemptDependencies,
  delivery: ClaimedDelivery,
  { body, secrets }: Outgoing,
): Promise<AttemptRecord> {
  const sentAt = clock.now();
  const signed = signatureHeaders({ body, webhookId: delivery.webhookId, sentAt, secrets, word: signatureWord });
  const traceparent = currentTraceparent();
  const headers = traceparent === null ? signed : { ...signed, traceparent };
  const sent = await send(guardedFetch, delivery.url, body, headers);
  return recordOf(delivery, sent, { startedAt: sentAt, endedAt: clock.now() });
}

/** The record of an attempt that could not be made. It counts as a failure, so that the attempts end. */
export function attemptNotMade({ clock }: { readonly clock: Clock }, delivery: ClaimedDelivery): AttemptRecord {
  const at = clock.now();
  return recordOf(delivery, { result: failed("internal"), answer: null }, { startedAt: at, endedAt: at });
}

function recordOf(
  delivery: ClaimedDelivery,
  { result, answer }: { readonly result: AttemptOutcome; readonly answer: string | null },
  { startedAt, endedAt }: { readonly startedAt: Date; readonly endedAt: Date },
): AttemptRecord {
  return {
    deliveryId: delivery.id,
    leaseId: delivery.leaseId,
    startedAt: inProviderTime(startedAt, delivery),
    endedAt: inProviderTime(endedAt, delivery),
    outcome: result.outcome,
    failure: result.outcome === "failed" ? result.failure : null,
    status: result.status,
    answer,
    next: nextOf(result, delivery.failures, endedAt),
  };
}

function nextOf(result: AttemptOutcome, failuresBefore: number, endedAt: Date): AttemptRecord["next"] {
  if (result.outcome === "succeeded") return "delivered";
  return nextAttemptAt(failuresBefore + 1, endedAt) === null ? "exhausted" : "scheduled";
}

function inProviderTime(moment: Date, { clockOffsetMs }: ClaimedDelivery): Date {
  return new Date(moment.getTime() + clockOffsetMs);
}

function bodyOf({ kind, event, webhookId, createdAt }: ClaimedDelivery): object {
  if (kind !== "endpoint.test") {
    // The log keeps every event, so a missing one is a defect; no other event may be sent instead.
    if (event === null) throw new Error("A delivery names an event that is not in the log.");
    return webhookBody(event, kind);
  }
  return { event_id: webhookId, event: "endpoint.test", created_at: createdAt.toISOString(), data: {} };
}

async function send(
  guardedFetch: Pick<GuardedFetch, "fetch">,
  url: string,
  body: Uint8Array,
  more: Readonly<Record<string, string>>,
): Promise<{ result: AttemptOutcome; answer: string | null }> {
  try {
    const answer = await guardedFetch.fetch({
      url,
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "aapd-webhooks/1", ...more },
      body,
      timeoutMs: WEBHOOK_TIMEOUT_SECONDS * 1_000,
      redirectsMax: 0,
      answerBytesMax: ANSWER_BYTES_MAX,
      longerAnswer: "cut",
    });
    return { result: classifyStatus(answer.status), answer: readableText(answer) };
  } catch (error) {
    if (error instanceof UrlRefused) return { result: failed("url_refused"), answer: null };
    if (error instanceof FetchFailed) return { result: failed(failureOf(error)), answer: null };
    throw error;
  }
}

/** An answer that is too long is cut, and does not fail the attempt. */
function failureOf({ reason }: FetchFailed): AttemptFailure {
  return reason === "too_large" ? "network" : reason;
}

function failed(failure: AttemptFailure): AttemptOutcome {
  return { outcome: "failed", failure, status: null };
}

const utf8 = new TextDecoder();

/** The beginning of the answer as text that the database can store. */
function readableText({ body }: GuardedAnswer): string {
  return utf8.decode(body).replaceAll("\u0000", "\uFFFD");
}
