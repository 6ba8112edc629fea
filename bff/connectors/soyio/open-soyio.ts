import { createPartyClient, type PartyClient } from "../kit/party-client.ts";
import type { OpenConnector } from "../kit/run-connector.ts";
import { serveIdentityRegistry } from "../kit/serve/serve-identity-registry.ts";
import { createSoyioRegistry, type Soyio } from "./identity-registry.ts";
import { createSoyioApi } from "./soyio-api.ts";

export interface SoyioToOpen extends Omit<Soyio, "api"> {
  readonly client: PartyClient;
}

/** Leaves time to store the answer. */
const TIMEOUT_MS = 8_000;

export function createSoyioClient({ baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string }) {
  return createPartyClient({ baseUrl, headers: { authorization: `Bearer ${apiKey}` }, timeoutMs: TIMEOUT_MS });
}

export function buildSoyioRegistry({ client, ...parts }: SoyioToOpen) {
  const onCredentialsRefused = () => parts.logger.error("soyio.credentials_refused");
  return createSoyioRegistry({ ...parts, api: createSoyioApi({ client, onCredentialsRefused }) });
}

export function openSoyio(given: SoyioToOpen): OpenConnector {
  const registry = buildSoyioRegistry(given);
  return { serve: (service) => serveIdentityRegistry(service, registry), close: () => given.client.close() };
}
