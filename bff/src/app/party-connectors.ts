import * as z from "zod";

/** The parties that may have a separate connector, by the prefix of their variables. */
const PARTIES = {
  CARD_PROCESSOR: "card-processor",
  FINANCING_PROVIDER: "financing-provider",
  IDENTITY_REGISTRY: "identity-registry",
  INSURER: "insurer",
  BANK: "bank",
  TAX_DOCUMENTS: "tax-documents",
} as const;
type Prefix = keyof typeof PARTIES;
export type PartyName = (typeof PARTIES)[Prefix];

export interface ConnectorAddress {
  readonly baseUrl: string;
  readonly token: string;
}

/** The connectors of single parties. All others are behind the common one. */
export type PartyConnectors = Readonly<Partial<Record<PartyName, ConnectorAddress>>>;

const PREFIXES = Object.keys(PARTIES) as Prefix[];
export const PARTY_CONNECTOR_URLS = PREFIXES.map((prefix) => `${prefix}_CONNECTOR_URL` as const);
export const PARTY_CONNECTOR_TOKENS = PREFIXES.map((prefix) => `${prefix}_CONNECTOR_TOKEN` as const);

type Name = (typeof PARTY_CONNECTOR_URLS)[number] | (typeof PARTY_CONNECTOR_TOKENS)[number];
type Variables = Readonly<Partial<Record<Name, string | undefined>>>;

/** The variables, with the schema of a URL. */
export function partyConnectorVariables<Url extends z.ZodType>(url: Url) {
  const urlOf = (party: string) =>
    url.meta({
      description: `The connector of the ${party}, if it is not \`CONNECTOR_URL\`.`,
      unset: "`CONNECTOR_URL`",
    });
  const tokenOf = (prefix: Prefix) =>
    z
      .string()
      .min(16)
      .optional()
      .meta({
        description: `The token of \`${prefix}_CONNECTOR_URL\`. Set both or neither.`,
        unset: "`CONNECTOR_TOKEN`",
      });
  return {
    CARD_PROCESSOR_CONNECTOR_URL: urlOf("card processor"),
    CARD_PROCESSOR_CONNECTOR_TOKEN: tokenOf("CARD_PROCESSOR"),
    FINANCING_PROVIDER_CONNECTOR_URL: urlOf("financing provider"),
    FINANCING_PROVIDER_CONNECTOR_TOKEN: tokenOf("FINANCING_PROVIDER"),
    IDENTITY_REGISTRY_CONNECTOR_URL: urlOf("identity registry"),
    IDENTITY_REGISTRY_CONNECTOR_TOKEN: tokenOf("IDENTITY_REGISTRY"),
    INSURER_CONNECTOR_URL: urlOf("insurers"),
    INSURER_CONNECTOR_TOKEN: tokenOf("INSURER"),
    BANK_CONNECTOR_URL: urlOf("bank"),
    BANK_CONNECTOR_TOKEN: tokenOf("BANK"),
    TAX_DOCUMENTS_CONNECTOR_URL: urlOf("issuer of tax documents"),
    TAX_DOCUMENTS_CONNECTOR_TOKEN: tokenOf("TAX_DOCUMENTS"),
  };
}

export function composePartyConnectors(variables: Variables): PartyConnectors {
  return Object.fromEntries(
    PREFIXES.flatMap((prefix) => {
      const [baseUrl, token] = [variables[`${prefix}_CONNECTOR_URL`], variables[`${prefix}_CONNECTOR_TOKEN`]];
      return baseUrl === undefined || token === undefined ? [] : [[PARTIES[prefix], { baseUrl, token }]];
    }),
  );
}

/** One line for each variable of a party that lacks its counterpart, or the common connector. */
export function partyConnectorRefusals(
  variables: Variables & { readonly CONNECTOR_URL?: string | undefined },
): string[] {
  return PREFIXES.flatMap((prefix) => {
    const [url, token] = [`${prefix}_CONNECTOR_URL`, `${prefix}_CONNECTOR_TOKEN`] as const;
    if (variables[url] === undefined && variables[token] === undefined) return [];
    if (variables[url] === undefined) return [`${url}: ${token} needs it`];
    if (variables[token] === undefined) return [`${token}: ${url} needs it`];
    if (variables.CONNECTOR_URL === undefined) return [`CONNECTOR_URL: ${url} needs it, for the other parties`];
    return [];
  });
}
