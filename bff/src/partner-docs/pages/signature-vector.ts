import { signatureHeaders } from "../../webhooks/signature.ts";

/** A secret that is used nowhere else: the base64 of 32 readable bytes. */
export const VECTOR_SECRET = `whsec_${Buffer.from("this is a test key of 32 bytes!!").toString("base64")}`;
/** Contains letters beyond ASCII, so that a wrong encoding is noticed. */
export const VECTOR_BODY =
  '{"event_id":"0190c7a2-4d2e-7b1a-9c35-6f1f3a2b8d44","event":"order.paid","reference":"niñez-001"}';
const sentAt = new Date("2026-11-21T12:00:00Z");

/** The headers that the service would send with the test vector's body. */
export function vectorHeaders(signatureWord: string): Readonly<Record<string, string>> {
  return signatureHeaders({
    body: Buffer.from(VECTOR_BODY, "utf8"),
    webhookId: "0190c7a2-4d2e-7b1a-9c35-6f1f3a2b8d44",
    sentAt,
    secrets: [VECTOR_SECRET],
    word: signatureWord,
  });
}
