import type { Email } from "../gateways/messenger/port.ts";
import { plainEmail } from "../notifications/plain-email.ts";

/** The mail to the owner of an endpoint that has failed for days without any success. */
export function failingNotification(
  { url, notifyEmail, providerName }: { url: string; notifyEmail: string; providerName: string },
  since: Date,
): Email {
  const host = new URL(url).host;
  return plainEmail({
    to: notifyEmail,
    subject: `Webhook endpoint failing: ${host}`,
    paragraphs: [
      `Your webhook endpoint at ${host} (${providerName}) has answered no event with a 2xx since ${since.toISOString()}.`,
      "It stays switched on, and new events are still sent to it.",
      "Once it works again, replay what it missed (POST /api/webhook_endpoints/{id}/replay) or read the log (GET /api/events).",
    ],
  });
}
