import type { Command } from "commander";
import { answer, collect, command } from "../src/back-office/cli/arguments.ts";
import { issuedJson, issuedLines, providerLines, type Shown } from "../src/back-office/cli/print.ts";
import { CommandRefused, type Operator, type Terminal } from "../src/back-office/operator.ts";
import { providerView } from "../src/back-office/views/provider-view.ts";
import { inTransaction } from "../src/platform/database/transaction.ts";
import type { Provider } from "../src/platform/provider.ts";
import { CREDENTIAL_KINDS } from "../src/tenants/credential.ts";
import { type IssuedCredential, rotateCredential } from "../src/tenants/credentials.ts";
import { changeProvider, createProvider, type NewProvider, setOrigins } from "../src/tenants/manage-provider.ts";
import { listProviders } from "../src/tenants/providers.ts";
import { setWebhook } from "../src/webhooks/endpoints.ts";
import { SANDBOX_COMMISSION_TAX } from "./commission-tax.ts";
import { registerCataloguePatients } from "./register-catalogue-patients.ts";

/** The clinic of the demo; its commission is invented. */
const DEMO_CLINIC: NewProvider = {
  name: "Clínica Los Aromos del Sur SpA",
  rut: "76.900.001-1",
  commissionPercentage: 7,
  commissionTax: SANDBOX_COMMISSION_TAX,
  supportEmail: "ayuda@losaromos.example.com",
  supportPhone: "+56 2 2345 6789",
  supportWhatsapp: "+56912345678",
  knownPatients: true,
};

/** A partner that operates several clinics behind one integration. */
const DEMO_META_PROVIDER: NewProvider = {
  name: "Red Salud Quillay",
  rut: "96.900.001-6",
  commissionPercentage: 7,
  commissionTax: SANDBOX_COMMISSION_TAX,
  supportEmail: "ayuda@quillay.example.com",
  meta: true,
};

interface SeedOptions {
  json?: boolean;
  origin: string[];
  webhookUrl?: string;
  logoUrl?: string;
  newCredentials?: boolean;
}

/** `aapd seed` */
export function seedCommand(terminal: Terminal): Command {
  return command("seed", "make sure that the sandbox's demo partners are there; may be repeated")
    .option("--origin <origin>", "a page that may show the demo clinic's widget; may be repeated", collect, [])
    .option("--webhook-url <url>", "the URL for the demo clinic's events")
    .option("--logo-url <url>", "the address of the demo clinic's logo")
    .option("--new-credentials", "print credentials of the demo clinic, new ones if it exists already")
    .action((options: SeedOptions) => answer(terminal, options, (operator) => seed(operator, options)));
}

async function seed(operator: Operator, options: SeedOptions): Promise<Shown> {
  if (operator.environment === "production")
    throw new CommandRefused("The demo's partners are not allowed in production.");
  const made = await makeSure(operator, DEMO_CLINIC);
  const { provider: metaProvider } = await makeSure(operator, DEMO_META_PROVIDER);
  await inTransaction(operator.db, async (tx) => {
    for (const provider of [made.provider, metaProvider])
      await registerCataloguePatients(tx, operator.ids, provider, operator.clock.now());
  });
  const { id: providerId } = made.provider;
  const origins =
    options.origin.length > 0 ? await setOrigins(operator, providerId, options.origin) : made.provider.origins;
  if (options.webhookUrl !== undefined) await setWebhook(operator, { providerId, url: options.webhookUrl });
  const { logoUrl = made.provider.logoUrl } = options;
  if (logoUrl !== made.provider.logoUrl) await changeProvider(operator, providerId, { logoUrl });
  const provider: Provider = { ...made.provider, origins, logoUrl };
  const credentials =
    options.newCredentials === true ? (made.credentials ?? (await rotateAll(operator, providerId))) : made.credentials;
  return {
    json: {
      provider: providerView(provider),
      ...(credentials === null ? {} : { credentials: issuedJson(credentials) }),
    },
    lines: [...providerLines(provider), ...(credentials === null ? [] : ["", ...issuedLines(credentials)])],
  };
}

/** The provider with this RUT; created with its credentials if it does not exist. */
async function makeSure(
  operator: Operator,
  wanted: NewProvider,
): Promise<{ provider: Provider; credentials: readonly IssuedCredential[] | null }> {
  const [known] = (await listProviders(operator.db, operator.environment)).filter(({ name }) => name === wanted.name);
  return known === undefined ? createProvider(operator, wanted) : { provider: known, credentials: null };
}

async function rotateAll(operator: Operator, providerId: string): Promise<IssuedCredential[]> {
  const issued: IssuedCredential[] = [];
  for (const kind of CREDENTIAL_KINDS)
    issued.push(await rotateCredential(operator, { providerId, kind, overlapMs: 0 }));
  return issued;
}
