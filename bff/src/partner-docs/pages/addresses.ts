import type { Deployment } from "../openapi.ts";

/** Inserts this deployment's addresses, and its word in the name of the signature header, into a sample. */
export function withAddresses(sample: string, { widgetHostUrl, signatureWord }: Deployment): string {
  return sample
    .replaceAll("https://WIDGET_HOST", widgetHostUrl)
    .replaceAll("x-service-signature", `x-${signatureWord.toLowerCase()}-signature`);
}
