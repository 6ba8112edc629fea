import type { Email } from "../gateways/messenger/port.ts";
import { escapeHtml } from "../platform/http/escape-html.ts";

/** A mail to a provider: paragraphs, and nothing else. */
export function plainEmail({
  paragraphs,
  ...mail
}: Pick<Email, "to" | "subject"> & { readonly paragraphs: readonly string[] }): Email {
  return {
    ...mail,
    text: `${paragraphs.join("\n\n")}\n`,
    html: paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("\n"),
  };
}
