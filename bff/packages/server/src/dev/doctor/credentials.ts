import { META_PROVIDER_SCOPE } from "../../../../../src/contract/vocabulary/scopes.ts";
import type { SandboxKeys } from "../keys.ts";
import { type Finding, fine, mistake } from "./finding.ts";

/*
 * Each credential and address is probed separately and without retries, so that a wrong value is identified. Probes
 * only read, or send requests that the service refuses. Only `mayOrder` creates something: an order, if the sandbox has
 * none.
 */

/** An answer to a probe. `body` is null if it is not JSON. */
export interface Probed {
  /** Null without an answer. */
  readonly status: number | null;
  readonly body: Readonly<Record<string, unknown>> | null;
}
export interface ProbedCall {
  readonly method?: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}
export type Probe = (call: ProbedCall) => Promise<Probed>;
type Keys = Pick<SandboxKeys, "provider" | "credentials" | "addresses" | "ends_at">;
type Credential = keyof Keys["credentials"];

/**
 * A lifetime below the minimum, so that nothing is minted: 422 for the caller's own order, and 404 before that for any
 * other.
 */
const REFUSED_LIFETIME = { expires_in_minutes: 1 };
const NO_ORDER = "00000000-0000-4000-8000-000000000000";
const PREFIXES: Readonly<Record<Credential, string>> = {
  client_secret: "cs_",
  client_id: "ci_",
  public_key: "PK_",
  webhook_secret: "whsec_",
  secret_key: "ak_",
};
const VARIABLES = {
  order_api: "ORDER_API",
  spot_api: "SPOT_API",
  widget_host: "WIDGET_HOST",
} as const;

/**
 * Examines the values as text, then the addresses, then each credential. Stops where later probes would mislead. An
 * empty value is not set, and not probed.
 */
export async function judgeCredentials(
  keys: Keys,
  { probe, mayOrder, now }: { readonly probe: Probe; readonly mayOrder: boolean; readonly now: Date },
): Promise<Finding[]> {
  const texts = judgeTexts(keys);
  if (texts.length > 0) return texts;
  const addresses = await judgeAddresses(keys, probe);
  if (addresses.length > 0) return addresses;
  if (keys.ends_at !== "" && new Date(keys.ends_at) < now)
    return [
      mistake(
        "keys_ended",
        `The keys of the sandbox ended on ${keys.ends_at}.`,
        "npx aapd-dev sandbox --new, then npx aapd-dev env",
      ),
    ];
  return judgeKeys(keys, probe, mayOrder);
}

function judgeTexts({ credentials, addresses }: Keys): Finding[] {
  const named = Object.entries(PREFIXES) as [Credential, string][];
  const kinds = named.flatMap(([name, prefix]): Finding[] => {
    const value = credentials[name];
    const variable = name.toUpperCase();
    if (value === "") return [];
    if (value !== value.trim() || /^["'].*["']$/.test(value))
      return [mistake(`${name}_quoted`, `${variable} has quotes or spaces around it.`, `${variable}=${prefix}…, bare`)];
    const other = named.find(([one, start]) => one !== name && value.startsWith(start));
    if (other !== undefined)
      return [mistake(`${name}_kind`, `${variable} holds a ${other[0]}.`, `${variable}=${prefix}…`)];
    if (value.startsWith(prefix) && !(name === "webhook_secret" && !isWholeSecret(value))) return [];
    return [
      mistake(
        `${name}_kind`,
        `${variable} is cut, or no ${name}: it begins with ${prefix}.`,
        `${variable}=${prefix}…, as it was shown`,
      ),
    ];
  });
  const bases = (Object.keys(VARIABLES) as (keyof typeof VARIABLES)[]).flatMap((name): Finding[] => {
    const value = addresses[name];
    const variable = VARIABLES[name];
    if (value === "") return [];
    if (!/^https?:\/\//.test(value) || !URL.canParse(value))
      return [mistake(`${name}_address`, `${variable} is no address.`, `${variable}=https://…`)];
    const { origin } = new URL(value);
    return value === origin
      ? []
      : [mistake(`${name}_path`, `${variable} has a path or a slash at its end.`, `${variable}=${origin}`)];
  });
  return [...kinds, ...bases];
}

/** A receiver uses these bytes as the key of the signature, so a part of the secret never matches. */
function isWholeSecret(value: string): boolean {
  return /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value) && value.length > 20;
}

/** Each API refuses calls without a credential in its own way; elsewhere these paths do not exist. */
async function judgeAddresses({ addresses }: Keys, probe: Probe): Promise<Finding[]> {
  const isOrderApi = async (base: string) =>
    base === "" || isRefusedCall(await probe({ url: `${base}/orders/${NO_ORDER}` }));
  const isSpotApi = async (base: string) =>
    base === "" || isRefusedCall(await probe({ url: `${base}/api/profile?public_key=PK_` }));
  const [isOrder, isSpot] = await Promise.all([isOrderApi(addresses.order_api), isSpotApi(addresses.spot_api)]);
  if (!isOrder && !isSpot && (await isOrderApi(addresses.spot_api)) && (await isSpotApi(addresses.order_api)))
    return [
      mistake(
        "addresses_swapped",
        "ORDER_API and SPOT_API are swapped.",
        `ORDER_API=${addresses.spot_api} SPOT_API=${addresses.order_api}`,
      ),
    ];
  const isWidgetHost =
    addresses.widget_host === "" || hasKit(await probe({ url: `${addresses.widget_host}/embed/manifest.json` }));
  return [
    ...(isOrder ? [] : [await notThere("order_api", addresses.order_api, probe)]),
    ...(isSpot ? [] : [await notThere("spot_api", addresses.spot_api, probe)]),
    ...(isWidgetHost ? [] : [await notThere("widget_host", addresses.widget_host, probe)]),
  ];
}

function hasKit({ status, body }: Probed): boolean {
  return status === 200 && body !== null && "files" in body;
}

function isRefusedCall({ status, body }: Probed): boolean {
  return status === 401 && body !== null && "detail" in body;
}

async function notThere(name: keyof typeof VARIABLES, base: string, probe: Probe): Promise<Finding> {
  const variable = VARIABLES[name];
  const { status } = await probe({ url: base });
  return status === null
    ? mistake(`${name}_unreachable`, `Nothing answers at ${base}.`, `Start it, or correct ${variable}.`)
    : mistake(
        `${name}_elsewhere`,
        `${base} is another site, and not the ${variable}.`,
        `${variable}= the address in /docs/start.`,
      );
}

async function judgeKeys(
  { provider, credentials, addresses }: Keys,
  probe: Probe,
  mayOrder: boolean,
): Promise<Finding[]> {
  const { client_secret, client_id, public_key, secret_key } = credentials;
  const { order_api, spot_api } = addresses;
  if ([client_secret, public_key, order_api, spot_api].includes("")) return [];
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
  const key = `public_key=${encodeURIComponent(public_key)}`;
  const mintUrl = `${spot_api}/api/spot/widget?${key}`;
  const [orders, profile] = await Promise.all([
    probe({ url: `${order_api}/orders?limit=1`, headers: bearer(client_secret) }),
    probe({ url: `${spot_api}/api/profile?${key}` }),
  ]);
  const isSecret = isTaken(orders);
  const isPublic = isTaken(profile);
  if (!isSecret && !isPublic)
    return [
      mistake(
        "environment",
        `${order_api} refuses all keys: they are of another environment, or were revoked.`,
        "Take the keys of this environment; in the sandbox: npx aapd-dev sandbox --new.",
      ),
    ];
  const taken = [judged("client_secret", isSecret, order_api), judged("public_key", isPublic, spot_api)];
  if (!isSecret || !isPublic) return taken;
  const { id, environment, isMeta } = providerOf(profile);
  const known = firstOf(orders.body?.orders, "hash");
  const isNewWanted = known === null && mayOrder && environment === "staging";
  const centers = isNewWanted && isMeta ? await probe(centersCall(spot_api, secret_key)) : null;
  const center = firstOf(centers?.body?.centers, "rut");
  const hash =
    isNewWanted && (center !== null || !isMeta)
      ? await newOrder({ url: `${order_api}/orders`, headers: bearer(client_secret), center }, probe)
      : known;
  const tenant = await judgeTenant(hash, {
    read: (one) => probe({ url: `${order_api}/orders/${one}`, headers: bearer(client_id) }),
    mint: (one) => probe({ method: "POST", url: mintUrl, body: { order_token: one, ...REFUSED_LIFETIME } }),
    hasClientId: client_id !== "",
  });
  if (tenant.some(({ verdict }) => verdict === "mistake")) return [...taken, ...tenant];
  const isOwnSecret = async () => {
    const events = await probe({
      url: `${spot_api}/api/events?${key}&limit=1`,
      headers: { "x-secret-key": secret_key },
    });
    const ofEvent = firstOf(events.body?.events, "order_hash");
    if (ofEvent === null) return isTaken(events);
    return (await probe({ url: `${order_api}/orders/${ofEvent}`, headers: bearer(client_secret) })).status !== 404;
  };
  return [
    ...taken,
    ...tenant,
    ...(secret_key === "" ? [] : [judged("secret_key", await isOwnSecret(), spot_api)]),
    ...(provider.id === "" || provider.id === id
      ? []
      : [
          mistake(
            "provider_id",
            "PROVIDER_ID is another provider's: every signed receipt is refused.",
            `PROVIDER_ID=${id}`,
          ),
        ]),
  ];
}

function judged(name: Credential, isRight: boolean, base: string): Finding {
  return isRight
    ? fine(`${name}_taken`, `The ${name} is taken.`)
    : mistake(
        `${name}_refused`,
        `The ${name} does not fit ${base}: it is another provider's or environment's, or was revoked.`,
        `${name.toUpperCase()}=${PREFIXES[name]}…, as it was shown; npx aapd-dev env prints the sandbox's.`,
      );
}

/** Whether an order of the client_secret also belongs to the public_key and the client_id. */
async function judgeTenant(
  hash: string | null,
  {
    read,
    mint,
    hasClientId,
  }: {
    readonly read: (hash: string) => Promise<Probed>;
    readonly mint: (hash: string) => Promise<Probed>;
    readonly hasClientId: boolean;
  },
): Promise<Finding[]> {
  if (hash === null) return [];
  const [{ status }, seen] = await Promise.all([mint(hash), hasClientId ? read(hash) : null]);
  return [
    ...(status === 404
      ? [
          mistake(
            "public_key_of_another",
            "PUBLIC_KEY and CLIENT_SECRET belong to different providers: the order of one is unknown to the other.",
            "PUBLIC_KEY=PK_… of the provider that CLIENT_SECRET is of; npx aapd-dev env prints all of one.",
          ),
        ]
      : []),
    ...(status === 422 ? [fine("one_provider", "CLIENT_SECRET and PUBLIC_KEY belong to one provider.")] : []),
    ...(seen === null || isTaken(seen)
      ? []
      : [
          mistake(
            "client_id_refused",
            "The CLIENT_ID cannot read an order of the CLIENT_SECRET.",
            "CLIENT_ID=ci_… of the same provider.",
          ),
        ]),
  ];
}

function centersCall(spotApi: string, secretKey: string): ProbedCall {
  return { url: `${spotApi}/api/spot/sacmed/centers?limit=1`, headers: { "x-secret-key": secretKey } };
}

/** The hash of a new order in the sandbox; null if it was refused. A meta-provider's order names one of its centres. */
async function newOrder(
  { url, headers, center }: Pick<ProbedCall, "url" | "headers"> & { readonly center: string | null },
  probe: Probe,
): Promise<string | null> {
  const customer = {
    rut: "40100000-3",
    first_name: "Camila",
    last_name: "Rojas",
    email: "camila@example.com",
    phone_number: "+56912345678",
  };
  const body = {
    reference: `doctor-${crypto.randomUUID()}`,
    total_amount: 45_952,
    customer,
    ...(center === null ? {} : { provider_rut: center }),
  };
  return textOf((await probe({ method: "POST", url, headers: headers ?? {}, body })).body, "hash");
}

/** A text of the first item of a list in an answer; null without one. */
function firstOf(list: unknown, name: string): string | null {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return textOf(items[0], name);
}

function textOf(value: unknown, name: string): string | null {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : null;
  return typeof found === "string" ? found : null;
}

function providerOf({ body }: Probed) {
  const scopes: readonly unknown[] = Array.isArray(body?.scopes) ? body.scopes : [];
  return {
    id: textOf(body?.provider, "id") ?? "",
    environment: textOf(body, "environment") ?? "",
    isMeta: scopes.includes(META_PROVIDER_SCOPE),
  };
}

function isTaken({ status, body }: Probed): boolean {
  return status !== null && status < 300 && body !== null;
}

/** Sends a probe over the network. */
export async function sendProbe({ method = "GET", url, headers = {}, body }: ProbedCall): Promise<Probed> {
  try {
    const answer = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
    });
    const value: unknown = await answer.json().catch(() => null);
    return { status: answer.status, body: typeof value === "object" && value !== null ? { ...value } : null };
  } catch {
    return { status: null, body: null };
  }
}
