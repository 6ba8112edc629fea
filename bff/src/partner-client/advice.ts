export interface Refusal {
  readonly status: number;
  readonly code: string | null;
  readonly request: { readonly url: URL; readonly headers: Readonly<Record<string, string>> };
}

const KEY_STARTS = { clientSecret: "cs_", publicKey: "PK_", secretKey: "ak_" } as const;

/** Advice about a refusal; null if the service's own words and the fields suffice. */
export function adviceFor({ status, code, request }: Refusal): string | null {
  const host = request.url.origin;
  if (status === 401) return keyAdvice(request, host);
  if (code === "beneficiary_not_found")
    return "Submit the receipt after order.paid: the checkout registers the patient.";
  if (code === "duplicate_reference")
    return "Use one reference for each attempt, or repeat the first call with its idempotency key.";
  if (status >= 500) return "If it fails for five minutes, send support the request id.";
  return code === null ? `Check that ${host} is the address of the service.` : null;
}

function keyAdvice({ url, headers }: Refusal["request"], host: string): string {
  const sent = {
    publicKey: url.searchParams.has("public_key"),
    clientSecret: "authorization" in headers,
    secretKey: "x-secret-key" in headers,
  };
  const names = (Object.keys(sent) as (keyof typeof sent)[]).filter((name) => sent[name]);
  const [only, ...others] = names;
  if (only === undefined || others.length > 0)
    return `Check ${names.join(" and ")}: both belong to the environment of ${host}.`;
  return `Check ${only}: it begins with ${KEY_STARTS[only]} and belongs to the environment of ${host}.`;
}
