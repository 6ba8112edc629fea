import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { type CommissionRegime, commissionRegimeSchema } from "../../contract/vocabulary/commission-tax.ts";
import { readRut } from "../../contract/vocabulary/rut.ts";
import { webhookEventKindSchema } from "../../contract/webhook-events.ts";
import { type Appearance, appearanceSchema } from "../../contract/widget-tokens.ts";
import type { Provider } from "../../platform/provider.ts";
import { CREDENTIAL_KINDS, type CredentialKind } from "../../tenants/credential.ts";
import { revokeCredentials } from "../../tenants/credentials.ts";
import {
  changeProvider,
  createProvider,
  type NewProvider,
  type ProviderChange,
  setActive,
  setOrigins,
  setReturnUrls,
} from "../../tenants/manage-provider.ts";
import { findProvider, listProviders, showCredentials } from "../../tenants/providers.ts";
import { listEndpoints, setWebhook } from "../../webhooks/endpoints.ts";
import { byTwoPeople } from "../approvals/two-people.ts";
import { rotateAct, supportEmailAct } from "../approved-acts/provider-acts.ts";
import { CommandRefused, type Operator, type Terminal } from "../operator.ts";
import { credentialView, endpointStateView, providerView } from "../views/provider-view.ts";
import { answer, collect, command } from "./arguments.ts";
import { endpointLine, issuedJson, issuedLines, providerLines, type Shown, shownLines, shownOutcome } from "./print.ts";

export function providerCommands(terminal: Terminal): Command {
  return new Command("provider")
    .description("partners and their credentials")
    .addCommand(createCommand(terminal))
    .addCommand(changeCommand(terminal))
    .addCommand(setOriginsCommand(terminal))
    .addCommand(setReturnUrlsCommand(terminal))
    .addCommand(setWebhookCommand(terminal))
    .addCommand(rotateCommand(terminal))
    .addCommand(revokeCommand(terminal))
    .addCommand(activeCommand(terminal, "activate", true))
    .addCommand(activeCommand(terminal, "deactivate", false))
    .addCommand(showCommand(terminal))
    .addCommand(listCommand(terminal));
}

const providerArgument = () => new Argument("<provider>", "the provider's id, or its RUT");

type CommissionTaxInput = NewProvider["commissionTax"];

interface TaxOptions {
  commissionRegime?: CommissionRegime;
  issuerName?: string;
  issuerRut?: string;
}

interface CreateOptions extends TaxOptions {
  commissionRegime: CommissionRegime;
  json?: boolean;
  name: string;
  rut: string;
  commission: number;
  legalBasis?: string;
  supportEmail: string;
  supportPhone?: string;
  supportWhatsapp?: string;
  logoUrl?: string;
  origin: string[];
  returnUrl: string[];
  frame: boolean;
  meta?: boolean;
  inactive?: boolean;
  captureFirst?: boolean;
  cardPage?: boolean;
  knownPatients?: boolean;
  identityTrustedDays?: number;
  minors?: boolean;
  expireUnpaidAfter?: number;
}

const CARD_PAGE = "patients give their card on the processor's own page, where it has one";
const KNOWN_PATIENTS = "patients may save a card, and are recognised by a code";
const MINORS = "patients whom the registry knows to be under age may pay; left out, they are refused";
const IDENTITY_TRUSTED = "for how long after the registry's match known patients are not asked for their document";

function createCommand(terminal: Terminal): Command {
  return command("create", "create a partner; its credentials are printed once")
    .requiredOption("--name <name>", "shown to patients")
    .requiredOption("--rut <rut>", "with its check digit, such as 76.543.210-3")
    .requiredOption("--commission <percentage>", "of the total, VAT included; no default", readNumber)
    .addOption(regimeOption().makeOptionMandatory())
    .option("--issuer-name <name>", ISSUER_NAME)
    .option("--issuer-rut <rut>", ISSUER_RUT)
    .option("--legal-basis <words>", LEGAL_BASIS)
    .requiredOption("--support-email <address>", "shown to patients for help")
    .option("--support-phone <number>")
    .option("--support-whatsapp <number>", "where patients write, as +56912345678")
    .option("--logo-url <url>")
    .option("--origin <origin>", "a page that may show the widget; may be repeated", collect, [])
    .option("--return-url <url>", RETURN_URL, collect, [])
    .option("--no-frame", "it opens the widget only as a full page, never in a frame")
    .option("--meta", "a meta-provider: operates centres behind one integration")
    .option("--inactive", "its credentials are refused until it is activated")
    .option("--capture-first", "capture the first instalment before the credit decision")
    .option("--card-page", CARD_PAGE)
    .option("--known-patients", KNOWN_PATIENTS)
    .option("--identity-trusted-days <days>", IDENTITY_TRUSTED, readNumber)
    .option("--minors", MINORS)
    .option("--expire-unpaid-after <minutes>", "cancel orders that stay unpaid", readNumber)
    .action((options: CreateOptions) =>
      answer(terminal, options, async (operator) => {
        if (options.frame && options.origin.length === 0) throw new CommandRefused(ORIGIN_NEEDED);
        const { provider, credentials } = await createProvider(operator, newProvider(options));
        return {
          json: { provider: providerView(provider), credentials: issuedJson(credentials) },
          lines: [...providerLines(provider), "", ...issuedLines(credentials)],
        };
      }),
    );
}

const regimeOption = () =>
  new Option(
    "--commission-regime <regime>",
    "a service with VAT, or interest without; existing orders keep theirs",
  ).choices(commissionRegimeSchema.options);
const ISSUER_NAME = "who issues the tax documents of the commission; optional for interest, whose boletas are exempt";
const ISSUER_RUT = "the RUT of that issuer";

/** The taxation of the commission, from the options. */
function commissionTaxOf(
  regime: CommissionRegime,
  { issuerName: name, issuerRut: rut }: TaxOptions,
): CommissionTaxInput {
  if (regime === "interest" && name === undefined && rut === undefined) return { regime };
  if (name === undefined || rut === undefined) throw new CommandRefused(ISSUER_NEEDED);
  return { regime, issuer: { name, rut } };
}

function changedTax({ commissionRegime, ...issuer }: TaxOptions): CommissionTaxInput | undefined {
  if (commissionRegime !== undefined) return commissionTaxOf(commissionRegime, issuer);
  if (issuer.issuerName !== undefined || issuer.issuerRut !== undefined)
    throw new CommandRefused(ISSUER_WITHOUT_REGIME);
  return undefined;
}

const ISSUER_NEEDED = "The issuer of tax documents has a name and a RUT: add --issuer-name and --issuer-rut.";
const ISSUER_WITHOUT_REGIME = "An issuer belongs to a regime: add --commission-regime.";

const LEGAL_BASIS = "why the commission is lawful, where it is above the maximum rate (`aapd legal`); kept with it";

const RETURN_URL = "a page or an app's own scheme that patients go back to; may be repeated";

const ORIGIN_NEEDED =
  "List the pages that show the widget (--origin https://clinic.example, repeatable), or use --no-frame if none does.";

function newProvider(options: CreateOptions): NewProvider {
  return {
    name: options.name,
    rut: options.rut,
    commissionPercentage: options.commission,
    commissionTax: commissionTaxOf(options.commissionRegime, options),
    commissionLegalBasis: options.legalBasis ?? null,
    supportEmail: options.supportEmail,
    supportPhone: options.supportPhone ?? null,
    supportWhatsapp: options.supportWhatsapp ?? null,
    logoUrl: options.logoUrl ?? null,
    origins: options.origin,
    returnUrls: options.returnUrl,
    framed: options.frame,
    meta: options.meta === true,
    active: options.inactive !== true,
    captureFirst: options.captureFirst === true,
    cardPage: options.cardPage === true,
    knownPatients: options.knownPatients === true,
    identityTrustedDays: options.identityTrustedDays,
    takesMinors: options.minors === true,
    unpaidOrderExpiryMinutes: options.expireUnpaidAfter ?? null,
  };
}

/** `false` means that the option was given in its `--no-` form. */
interface ChangeOptions extends TaxOptions {
  json?: boolean;
  name?: string;
  commission?: number;
  legalBasis?: string;
  supportEmail?: string;
  supportPhone?: string | false;
  supportWhatsapp?: string | false;
  logoUrl?: string | false;
  captureFirst?: boolean;
  cardPage?: boolean;
  knownPatients?: boolean;
  identityTrustedDays?: number;
  minors?: boolean;
  expireUnpaidAfter?: number | false;
  accent?: string | false;
  radius?: Look<"radius"> | false;
  font?: Look<"font"> | false;
  colorScheme?: Look<"color_scheme"> | false;
  density?: Look<"density"> | false;
  labels?: Look<"labels"> | false;
}

type Look<Name extends keyof Appearance> = NonNullable<Appearance[Name]>;

function changeCommand(terminal: Terminal): Command {
  const changing = command(
    "change",
    "change what is agreed with a partner, or how the widget looks for it; the rest stays",
  )
    .addArgument(providerArgument())
    .option("--name <name>", "shown to patients")
    .option("--commission <percentage>", "of the total, VAT included; existing orders keep theirs", readNumber)
    .addOption(regimeOption())
    .option("--issuer-name <name>", ISSUER_NAME)
    .option("--issuer-rut <rut>", ISSUER_RUT)
    .option("--legal-basis <words>", LEGAL_BASIS)
    .option(
      "--support-email <address>",
      "shown to patients for help; use it alone, and have a second operator run the same",
    )
    .option("--support-phone <number>")
    .option("--no-support-phone", "remove the telephone")
    .option("--support-whatsapp <number>", "where patients write, as +56912345678")
    .option("--no-support-whatsapp", "remove the WhatsApp number")
    .option("--logo-url <url>")
    .option("--no-logo-url", "show only the name")
    .option("--capture-first", "capture the first instalment before the credit decision")
    .option("--no-capture-first", "decide on the credit first")
    .option("--card-page", CARD_PAGE)
    .option(
      "--no-card-page",
      "let patients enter cards in the checkout, unless the processor accepts them only on its page",
    )
    .option("--known-patients", KNOWN_PATIENTS)
    .option("--no-known-patients", "do not offer saved cards here; they stay saved")
    .option("--identity-trusted-days <days>", IDENTITY_TRUSTED, readNumber)
    .option("--minors", MINORS)
    .option("--no-minors", "refuse minors")
    .option("--expire-unpaid-after <minutes>", "cancel new orders that stay unpaid for so long", readNumber)
    .option("--no-expire-unpaid-after", "never cancel unpaid orders");
  return withAppearance(changing).action((named: string, options: ChangeOptions) =>
    answer(terminal, options, (operator) => change(operator, named, options)),
  );
}

/** Adds the options of the widget's appearance to a command. */
function withAppearance(changing: Command): Command {
  const { radius, font, color_scheme: colorScheme, density, labels } = appearanceSchema.shape;
  const oneOf = (flags: string, what: string, choices: { readonly options: readonly string[] }) =>
    new Option(flags, what).choices(choices.options);
  return changing
    .option("--accent <#rrggbb>", "the colour of the widget's buttons and links")
    .option("--no-accent", "use the widget's own")
    .addOption(oneOf("--radius <radius>", "its corners", radius.def.innerType))
    .option("--no-radius", "use the widget's own")
    .addOption(oneOf("--font <font>", "its letters", font.def.innerType))
    .option("--no-font", "use the widget's own")
    .addOption(
      oneOf("--color-scheme <scheme>", "light, dark or the machine's, outside of frames", colorScheme.def.innerType),
    )
    .option("--no-color-scheme", "follow the page")
    .addOption(oneOf("--density <density>", "how much room stands between its parts", density.def.innerType))
    .option("--no-density", "use the widget's own")
    .addOption(oneOf("--labels <labels>", "where a field's label stands", labels.def.innerType))
    .option("--no-labels", "use the widget's own");
}

async function change(operator: Operator, named: string, { supportEmail, ...rest }: ChangeOptions): Promise<Shown> {
  const isRest = Object.keys(rest).some((name) => name !== "json");
  if (!isRest && supportEmail === undefined)
    throw new CommandRefused("Nothing to change: see `aapd provider change --help`.");
  if (isRest && supportEmail !== undefined) throw new CommandRefused(EMAIL_ALONE);
  const { id } = await requireProvider(operator, named);
  if (supportEmail !== undefined) {
    const requested = { subject: id, request: { support_email: supportEmail }, actor: operator.actor };
    return shownOutcome(await byTwoPeople(operator, supportEmailAct(operator), requested));
  }
  const provider = await changeProvider(operator, id, providerChange(rest));
  return { json: { provider: providerView(provider) }, lines: providerLines(provider) };
}

const EMAIL_ALONE = "Change --support-email in a separate command: it needs two operators, the other options need one.";

function providerChange(options: Omit<ChangeOptions, "supportEmail">): ProviderChange {
  return {
    name: options.name,
    commissionPercentage: options.commission,
    commissionTax: changedTax(options),
    commissionLegalBasis: options.legalBasis,
    supportPhone: orNone(options.supportPhone),
    supportWhatsapp: orNone(options.supportWhatsapp),
    logoUrl: orNone(options.logoUrl),
    captureFirst: options.captureFirst,
    cardPage: options.cardPage,
    knownPatients: options.knownPatients,
    identityTrustedDays: options.identityTrustedDays,
    takesMinors: options.minors,
    unpaidOrderExpiryMinutes: orNone(options.expireUnpaidAfter),
    appearance: {
      accent: orNone(options.accent),
      radius: orNone(options.radius),
      font: orNone(options.font),
      color_scheme: orNone(options.colorScheme),
      density: orNone(options.density),
      labels: orNone(options.labels),
    },
  };
}

/** The value of an option; `null` for its `--no-` form, `undefined` if the option was not given. */
function orNone<Value>(option: Value | false | undefined): Value | null | undefined {
  return option === false ? null : option;
}

function setOriginsCommand(terminal: Terminal): Command {
  return command("set-origins", "replace the pages that may show the widget and call the public endpoints")
    .addArgument(providerArgument())
    .argument("[origins...]", "such as https://clinic.example; without any, no page may show the widget")
    .action((named: string, origins: string[], options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const { id } = await requireProvider(operator, named);
        const kept = await setOrigins(operator, id, origins);
        return { json: { id, origins: kept }, lines: kept.length > 0 ? kept : ["No page may show the widget."] };
      }),
    );
}

function setReturnUrlsCommand(terminal: Terminal): Command {
  return command("set-return-urls", "replace the addresses that bring patients back from a checkout without a frame")
    .addArgument(providerArgument())
    .argument(
      "[urls...]",
      "such as https://clinic.example/paid or cl.clinic.app:/paid; without any, patients are not sent back",
    )
    .action((named: string, urls: string[], options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const { id } = await requireProvider(operator, named);
        const kept = await setReturnUrls(operator, id, urls);
        return {
          json: { id, return_urls: kept },
          lines: kept.length > 0 ? kept : ["Patients are not sent back anywhere."],
        };
      }),
    );
}

function setWebhookCommand(terminal: Terminal): Command {
  return command("set-webhook", "set where events go that are signed with the provider's webhook_secret")
    .addArgument(providerArgument())
    .argument("<url>", "https, on a public address")
    .addOption(
      new Option("--kind <kinds...>", "kinds of event; default: each change of the status under its own kind").choices(
        webhookEventKindSchema.options,
      ),
    )
    .action((named: string, url: string, options: { json?: boolean; kind?: string[] }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const kinds = options.kind === undefined ? {} : { kinds: options.kind };
        const endpoint = await setWebhook(operator, { providerId, url, ...kinds });
        return { json: { endpoint: endpointStateView(endpoint) }, lines: [endpointLine(endpoint)] };
      }),
    );
}

function rotateCommand(terminal: Terminal): Command {
  return command("rotate", "make a new credential, once a second operator runs the same or approves it; printed once")
    .addArgument(providerArgument())
    .addArgument(kindArgument())
    .option("--overlap-hours <hours>", "how long the old one stays valid", readNumber, 0)
    .action((named: string, kind: CredentialKind, options: { json?: boolean; overlapHours: number }) =>
      answer(terminal, options, async (operator) => {
        const { id: subject } = await requireProvider(operator, named);
        const requested = { subject, request: { kind, overlap_hours: options.overlapHours }, actor: operator.actor };
        const outcome = await byTwoPeople(operator, rotateAct(operator), requested);
        const { json, lines } = shownOutcome(outcome);
        const credentials = outcome.isDone && outcome.secret !== null ? { [kind]: outcome.secret.value } : {};
        return { json: { ...json, credentials }, lines };
      }),
    );
}

const kindArgument = () => new Argument("<kind>", "the kind of credential").choices(CREDENTIAL_KINDS);

function revokeCommand(terminal: Terminal): Command {
  return command("revoke", "end the credentials of a kind now, such as a leaked one; `rotate` makes the next one")
    .addArgument(providerArgument())
    .addArgument(kindArgument())
    .action((named: string, kind: CredentialKind, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const { id: providerId } = await requireProvider(operator, named);
        const revoked = await revokeCredentials(operator, { providerId, kind });
        return { json: { id: providerId, kind, revoked }, lines: [`Ended: ${revoked}.`] };
      }),
    );
}

function activeCommand(terminal: Terminal, name: string, active: boolean): Command {
  return command(name, active ? "let its credentials open things again" : "refuse all its credentials")
    .addArgument(providerArgument())
    .action((named: string, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const { id } = await requireProvider(operator, named);
        await setActive(operator, id, active);
        return { json: { id, active }, lines: [active ? "Active." : "Inactive."] };
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return command("show", "a provider, its live credentials (secrets by their last characters) and its webhooks")
    .addArgument(providerArgument())
    .action((named: string, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const provider = await requireProvider(operator, named);
        const credentials = await showCredentials(operator, provider.id);
        const endpoints = await listEndpoints(operator.db, provider.id);
        return {
          json: {
            provider: providerView(provider),
            credentials: credentials.map(credentialView),
            webhook_endpoints: endpoints.map(endpointStateView),
          },
          lines: [...providerLines(provider), "", ...shownLines(credentials), "", ...endpoints.map(endpointLine)],
        };
      }),
    );
}

function listCommand(terminal: Terminal): Command {
  return command("list", "all providers of this environment").action((options: { json?: boolean }) =>
    answer(terminal, options, async ({ db, environment }) => {
      const providers = await listProviders(db, environment);
      return {
        json: { providers: providers.map(providerView) },
        lines: providers.map(({ id, rut, name, active }) => `${id}  ${rut}  ${name}${active ? "" : "  (inactive)"}`),
      };
    }),
  );
}

/** The one provider that an operator has named. Throws `CommandRefused` if none or several match. */
export async function requireProvider({ db, environment }: Operator, named: string): Promise<Provider> {
  const rut = readRut(named);
  if (rut === null) {
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(named);
    const provider = isId ? await findProvider(db, named) : null;
    if (provider?.environment === environment) return provider;
    throw new CommandRefused(`There is no provider ${named} in ${environment}. See \`aapd provider list\`.`);
  }
  const [provider, ...others] = await listProviders(db, environment, rut);
  if (provider === undefined) throw new CommandRefused(`There is no provider with the RUT ${rut} in ${environment}.`);
  if (others.length > 0)
    throw new CommandRefused(`${others.length + 1} providers have the RUT ${rut}: use the id of one.`);
  return provider;
}

function readNumber(text: string): number {
  const value = Number(text.replace(",", "."));
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("It must be a number.");
  return value;
}
