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
  const urlOfParty = url.meta({ description: "The connector of the named party.", unset: "`CONNECTOR_URL`" });
  const tokenOfParty = z.string().min(16).optional().meta({
    description: "Its token. Set both or neither.",
    unset: "`CONNECTOR_TOKEN`",
  });
  return {
    CARD_PROCESSOR_CONNECTOR_URL: urlOfParty,
    CARD_PROCESSOR_CONNECTOR_TOKEN: tokenOfParty,
    FINANCING_PROVIDER_CONNECTOR_URL: urlOfParty,
    FINANCING_PROVIDER_CONNECTOR_TOKEN: tokenOfParty,
    IDENTITY_REGISTRY_CONNECTOR_URL: urlOfParty,
    IDENTITY_REGISTRY_CONNECTOR_TOKEN: tokenOfParty,
    INSURER_CONNECTOR_URL: urlOfParty,
    INSURER_CONNECTOR_TOKEN: tokenOfParty,
    BANK_CONNECTOR_URL: urlOfParty,
    BANK_CONNECTOR_TOKEN: tokenOfParty,
    TAX_DOCUMENTS_CONNECTOR_URL: urlOfParty,
    TAX_DOCUMENTS_CONNECTOR_TOKEN: tokenOfParty,
  };
}

/**
 * The name under which attempts record the connector at an address: the address itself without credentials, or the one
 * from which it has moved.
 */
export function connectorName(address: string, moved: ReadonlyMap<string, string>): string {
  const { origin, pathname } = new URL(address);
  const name = `${origin}${pathname}`.replace(/\/$/, "");
  return moved.get(name) ?? name;
}

/** `CONNECTORS_MOVED`: pairs of an earlier and the present address, as a map from the latter to the former. */
export const movedConnectors = z
  .string()
  .default("")
  .transform((text, context) => {
    const moves = text.split(",").filter((pair) => pair.trim() !== "");
    const addresses = moves.map((pair) => pair.trim().split(/\s+/));
    if (addresses.some((pair) => pair.length !== 2 || !pair.every((address) => URL.canParse(address)))) {
      context.addIssue("must be pairs of addresses, separated by commas: EARLIER PRESENT, EARLIER PRESENT");
      return z.NEVER;
    }
    const names = addresses.map((pair) => pair.map((address) => connectorName(address, UNMOVED)));
    if ([0, 1].some((side) => new Set(names.map((pair) => pair[side])).size < names.length)) {
      context.addIssue("must name each earlier and each present address once");
      return z.NEVER;
    }
    return new Map(names.map(([from = "", to = ""]) => [to, from]));
  });

const UNMOVED: ReadonlyMap<string, string> = new Map();

/** One line for each variable with an address that its connector has left: another one would take its name. */
export function movedConnectorRefusals({
  CONNECTORS_MOVED: moved,
  ...variables
}: Variables & {
  readonly CONNECTOR_URL?: string | undefined;
  readonly CONNECTORS_MOVED: ReadonlyMap<string, string>;
}): string[] {
  const left = [...moved.values()].filter((name) => !moved.has(name));
  return (["CONNECTOR_URL", ...PARTY_CONNECTOR_URLS] as const).flatMap((variable) => {
    const address = variables[variable];
    const isLeft = address !== undefined && left.includes(connectorName(address, UNMOVED));
    return isLeft ? [`${variable}: its connector has moved, as CONNECTORS_MOVED says; use a separate address`] : [];
  });
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
