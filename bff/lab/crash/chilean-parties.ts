import type { ChildProcess } from "node:child_process";
import pg from "pg";
import type { Seen } from "./chilean-life.ts";
import { freePorts } from "./free-ports.ts";
import { newCrashDatabase } from "./new-database.ts";

const SOYIO = { SOYIO_API_KEY: "eyJhbGciOiJIUzI1NiJ9.e30.clave-de-prueba" };
const WHATSAPP = {
  WHATSAPP_ACCESS_TOKEN: "EAAprueba-de-un-token-de-acceso",
  WHATSAPP_PHONE_NUMBER_ID: "100000000000001",
  WHATSAPP_BUSINESS_ACCOUNT_ID: "100000000000002",
  WHATSAPP_APP_SECRET: "0123456789abcdef0123456789abcdef",
};
/** The issuer of `docs/start/going-to-production.md`. */
const LIBREDTE = { LIBREDTE_HASH: "hash-de-prueba-del-usuario", LIBREDTE_ISSUER_RUT: "76.901.112-9" };

export interface ChileanParties {
  readonly children: readonly ChildProcess[];
  /** The connectors' ports. */
  readonly ports: readonly number[];
  /** Where the service finds the connectors. */
  readonly variables: Readonly<Record<string, string>>;
  /** Where it finds the gateway for messages, in place of the written address. */
  readonly messaging: Readonly<Record<string, string>>;
  /** The variables of the WhatsApp connector, also for its commands. */
  readonly whatsapp: Readonly<Record<string, string>>;
  readonly seen: () => Promise<Seen>;
}

/** The connectors of Soyio, WhatsApp and LibreDTE, each in front of its stand-in. */
export async function startChileanParties({
  token,
  standIn,
  connector,
}: {
  readonly token: string;
  readonly standIn: (party: string, own: Readonly<Record<string, string>>) => ChildProcess;
  readonly connector: (party: string, own: Readonly<Record<string, string>>) => ChildProcess;
}): Promise<ChileanParties> {
  const [soyio = 0, registry = 0, whatsapp = 0, meta = 0, libredte = 0, sii = 0] = await freePorts(6);
  const here = (port: number) => `http://127.0.0.1:${port}`;
  const kit = async (port: number) => {
    const { url } = await newCrashDatabase();
    return { CONNECTOR_PORT: String(port), CONNECTOR_TOKEN: token, CONNECTOR_DATABASE_URL: url };
  };
  const [ofSoyio, ofWhatsapp, ofLibredte] = await Promise.all([kit(soyio), kit(whatsapp), kit(libredte)]);
  const forWhatsapp = {
    ...{ ...WHATSAPP, ...ofWhatsapp },
    WHATSAPP_VERIFY_TOKEN: "token-de-verificacion",
    WHATSAPP_BASE_URL: here(meta),
  };
  const webhook = { STAND_IN_WEBHOOK_URL: `${here(whatsapp)}/whatsapp/webhook` };
  const children = [
    standIn("soyio", { ...SOYIO, STAND_IN_PORT: String(registry) }),
    standIn("whatsapp", { ...WHATSAPP, ...webhook, STAND_IN_PORT: String(meta) }),
    standIn("libredte", { ...LIBREDTE, STAND_IN_PORT: String(sii) }),
    connector("soyio", { ...SOYIO, ...ofSoyio, SOYIO_ENVIRONMENT: "sandbox", SOYIO_BASE_URL: here(registry) }),
    connector("whatsapp", forWhatsapp),
    connector("libredte", { ...LIBREDTE, ...ofLibredte, LIBREDTE_URL: here(sii) }),
  ];
  return {
    children,
    ports: [soyio, whatsapp, libredte],
    whatsapp: forWhatsapp,
    messaging: { MESSAGING_URL: `${here(whatsapp)}/connector/v1`, MESSAGING_TOKEN: token },
    variables: {
      IDENTITY_REGISTRY_CONNECTOR_URL: `${here(soyio)}/connector/v1`,
      IDENTITY_REGISTRY_CONNECTOR_TOKEN: token,
      TAX_DOCUMENTS_CONNECTOR_URL: `${here(libredte)}/connector/v1`,
      TAX_DOCUMENTS_CONNECTOR_TOKEN: token,
    },
    seen: async () => ({
      checks: await countAt(`${here(registry)}/checks`),
      messages: await countAt(`${here(meta)}/arrived`),
      documents: await issuedIn(ofLibredte.CONNECTOR_DATABASE_URL),
    }),
  };
}

async function countAt(url: string): Promise<number> {
  const listed: unknown = await (await fetch(url)).json();
  return Array.isArray(listed) ? listed.length : 0;
}

/** The kinds of the documents that LibreDTE has issued, oldest first. */
async function issuedIn(databaseUrl: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ kind: string }>(
      "select kind from documents where state = 'issued' order by issued_at",
    );
    return rows.map(({ kind }) => kind);
  } finally {
    await client.end();
  }
}
