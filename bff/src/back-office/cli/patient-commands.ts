import { Argument, Command, InvalidArgumentError, Option } from "commander";
import * as z from "zod/mini";
import { type ConsentPurpose, consentPurposeSchema } from "../../contract/orders.ts";
import { SELF_SERVICE_LINK_DAYS } from "../../contract/terms.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { type Rut, readRut } from "../../contract/vocabulary/rut.ts";
import { tenantOf } from "../../patients/beneficiary.ts";
import { findBeneficiary } from "../../patients/patients.ts";
import { providerNow } from "../../platform/provider.ts";
import { eraseData } from "../../self-service/erase-data.ts";
import { showRequest } from "../../self-service/operations.ts";
import { type RightsAct, seeData } from "../../self-service/see-data.ts";
import { isOfAnOrder, LINK_PURPOSES, type LinkPurpose, sendLink } from "../../self-service/send-link.ts";
import {
  eraseUnregistered,
  seeUnregistered,
  type UnregisteredAct,
  withdrawUnregistered,
} from "../../self-service/unregistered.ts";
import { withdrawConsent } from "../../self-service/withdraw-consent.ts";
import { publicCredentials } from "../../tenants/providers.ts";
import { CommandRefused, type Operator, type Terminal } from "../operator.ts";
import { answer, command, readHashArgument } from "./arguments.ts";
import { requireProvider } from "./provider-commands.ts";

/**
 * `aapd patients …`: a patient's rights under the data law, exercised by an operator on the patient's behalf. Each
 * command is recorded in the audit log.
 */
export function patientCommands(terminal: Terminal): Command {
  return new Command("patients")
    .description("show, export, withdraw and erase a patient's data on their behalf, and read their requests")
    .addCommand(exportCommand(terminal))
    .addCommand(sendLinkCommand(terminal))
    .addCommand(withdrawCommand(terminal))
    .addCommand(eraseCommand(terminal))
    .addCommand(requestCommand(terminal));
}

const ACCESS_LINK_SENT = `The link was sent to the registered address. It works for ${SELF_SERVICE_LINK_DAYS} days and asks for a code.`;
const PAYMENT_LINK_SENT = `The link was sent to the order's address. It works for ${SELF_SERVICE_LINK_DAYS} days and asks for a code.`;
const NO_PAYMENT_LINK =
  "Nothing was sent: the provider has no such order of this patient, or the order cannot be charged, now or at all.";

interface LinkOptions extends PatientOptions {
  purpose: LinkPurpose;
  order?: OrderId;
}

interface PatientOptions {
  json?: boolean;
  provider: string;
}

/** In staging every provider has separate patients; in production all providers share them. */
function patientCommand(name: string, description: string): Command {
  return command(name, description)
    .argument("<rut>", "the patient's RUT", readRutArgument)
    .requiredOption("--provider <provider>", "the provider that received the request: its id or its RUT");
}

function exportCommand(terminal: Terminal): Command {
  return patientCommand("export", "everything that is kept of them, as JSON").action(
    (rut: Rut, options: PatientOptions) =>
      answer(terminal, options, async (operator) => {
        const { registered, unregistered } = await actOf(operator, options, rut);
        const data =
          registered === null ? await seeUnregistered(operator, unregistered) : await seeData(operator, registered);
        return { json: data, lines: [JSON.stringify(data, null, 2)] };
      }),
  );
}

function sendLinkCommand(terminal: Terminal): Command {
  return patientCommand(
    "send-link",
    "send them a link: to their data, to give access to their insurer, to pay the rest now, or to change the card",
  )
    .addOption(new Option("--purpose <purpose>", "the consent's purpose").choices(LINK_PURPOSES).default("my_data"))
    .option("--order <hash>", "the order to pay, or whose card to change", readHashArgument)
    .action((rut: Rut, options: LinkOptions) =>
      answer(terminal, options, async (operator) => {
        const { actor, service } = operator;
        const provider = await requireProvider(operator, options.provider);
        const { purpose, order: orderId = null } = options;
        if (isOfAnOrder(purpose) !== (orderId !== null))
          throw new CommandRefused(
            "--order is required with --purpose pay_early or card_change, and only allowed with them.",
          );
        if ((await publicCredentials(operator, provider.id)) === null)
          throw new CommandRefused("The provider has no public_key.");
        const dependencies = { ...operator, widgetHostUrl: service.config.addresses.widget.publicUrl };
        const sent = await sendLink(dependencies, { provider, rut, purpose, orderId, actor });
        return { json: { sent }, lines: [linkWords(purpose, sent)] };
      }),
    );
}

function linkWords(purpose: LinkPurpose, sent: boolean): string {
  if (isOfAnOrder(purpose)) return sent ? PAYMENT_LINK_SENT : NO_PAYMENT_LINK;
  if (purpose === "insurer_access") return sent ? ACCESS_LINK_SENT : "Nothing was sent: this RUT is not registered.";
  return sent
    ? "The link was sent. It works for a day and asks for a code."
    : "Nothing was sent: this RUT is not registered, or a link was sent recently, or too many today.";
}

function withdrawCommand(terminal: Terminal): Command {
  const purposes = consentPurposeSchema.options;
  return patientCommand("withdraw", "withdraw what they have accepted for one purpose, with what follows from it")
    .addArgument(new Argument("<purpose>", "the consent's purpose").choices(purposes))
    .action((rut: Rut, purpose: ConsentPurpose, options: PatientOptions) =>
      answer(terminal, options, async (operator) => {
        const { registered, unregistered } = await actOf(operator, options, rut);
        const done =
          registered === null
            ? await withdrawUnregistered(operator, unregistered, purpose)
            : await withdrawConsent(operator, registered, purpose);
        const effects = done.effects.join(", ") || "nothing follows";
        return { json: done, lines: [`${purpose} is withdrawn: ${effects}. Still owed: ${done.owed} CLP.`] };
      }),
    );
}

function eraseCommand(terminal: Terminal): Command {
  return patientCommand("erase", "erase what no law keeps, and name what is kept").action(
    (rut: Rut, options: PatientOptions) =>
      answer(terminal, options, async (operator) => {
        const { registered, unregistered } = await actOf(operator, options, rut);
        const { status, kept } =
          registered === null ? await eraseUnregistered(operator, unregistered) : await eraseData(operator, registered);
        const rest = registered === null ? NOTHING_FOLLOWS : "the rest follows by itself.";
        const first = status === "erased" ? "Erased." : `Erased as far as possible now; ${rest}`;
        return {
          json: { status, kept },
          lines: [first, ...kept.map(({ what, because }) => `kept: ${what} (${because})`)],
        };
      }),
  );
}

function requestCommand(terminal: Terminal): Command {
  return command("request", "read what a patient has asked of a person, before it is answered")
    .argument("<id>", "the request's id, as `exceptions list` shows it")
    .action((id: string, options: { json?: boolean }) =>
      answer(terminal, options, async (operator) => {
        const requested = uuidSchema.safeParse(id).success ? await showRequest(operator, id, operator.actor) : null;
        if (requested === null) throw new CommandRefused("There is no such request, or it was answered.");
        const { rut, kind, about, words, status, answer_by: until } = requested;
        return {
          json: requested,
          lines: [`${kind}${about === null ? "" : ` (${about})`} of ${rut}: ${status}`, words, `answer by ${until}`],
        };
      }),
    );
}

const uuidSchema = z.uuid();

const NOTHING_FOLLOWS = "nobody is registered under this RUT, so erase again when nothing is open or owed any more.";

/**
 * The patient for whom the operator acts: the one registered under the RUT, or an unregistered person in clinics'
 * orders.
 */
async function actOf(
  operator: Operator,
  { provider: named }: PatientOptions,
  rut: Rut,
): Promise<{ readonly registered: RightsAct | null; readonly unregistered: UnregisteredAct }> {
  const provider = await requireProvider(operator, named);
  const tenant = tenantOf(provider);
  const patient = await findBeneficiary(operator.db, { tenant, rut });
  const act = {
    providerId: provider.id,
    actor: operator.actor,
    now: providerNow(provider, operator.clock.now()),
  };
  return { registered: patient === null ? null : { ...act, patient }, unregistered: { ...act, tenant, rut } };
}

function readRutArgument(text: string): Rut {
  const rut = readRut(text);
  if (rut === null) throw new InvalidArgumentError("It is not a RUT.");
  return rut;
}
