import { createKeptCalls } from "../kit/kept-calls.ts";
import { createPartyClient, type PartyClient } from "../kit/party-client.ts";
import type { OpenConnector } from "../kit/run-connector.ts";
import { serveTaxDocuments } from "../kit/serve/serve-tax-documents.ts";
import type { Libredte } from "./libredte.ts";
import { createLibredteApi } from "./libredte-api.ts";
import { createLibredteTaxDocuments } from "./tax-documents.ts";
import { askForVerdicts } from "./verdicts.ts";

export interface LibredteToOpen extends Omit<Libredte, "api" | "calls"> {
  readonly client: PartyClient;
}

/** LibreDTE takes the hash as the name of a user whose password is not used. */
export function createLibredteClient({ baseUrl, hash }: { readonly baseUrl: string; readonly hash: string }) {
  const authorization = `Basic ${Buffer.from(`${hash}:X`).toString("base64")}`;
  return createPartyClient({ baseUrl, headers: { authorization } });
}

export function buildLibredte({ client, ...parts }: LibredteToOpen): Libredte {
  const { issuerRut, logger } = parts;
  const onCredentialsRefused = () => logger.error("libredte.credentials_refused");
  const api = createLibredteApi({ client, issuerRut, onCredentialsRefused });
  return { ...parts, api, calls: createKeptCalls(parts) };
}

/** `ticks`: each asks for the SII's verdicts. It ends when the connector is closed. */
export function openLibredte(given: LibredteToOpen, ticks: AsyncIterable<unknown>): OpenConnector {
  const libredte = buildLibredte(given);
  const taxDocuments = createLibredteTaxDocuments(libredte);
  const working = (async () => {
    for await (const _ of ticks) await askForVerdicts(libredte);
  })();
  return {
    serve: (service) => serveTaxDocuments(service, taxDocuments),
    async close() {
      await working;
      await given.client.close();
    },
  };
}
