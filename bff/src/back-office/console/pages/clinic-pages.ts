import { type Html, html } from "../../../platform/http/html.ts";
import { setPayoutTerms } from "../../../settlement/payout-terms.ts";
import { CREDENTIAL_KINDS } from "../../../tenants/credential.ts";
import { revokeCredentials } from "../../../tenants/credentials.ts";
import { listProviders, showCredentials } from "../../../tenants/providers.ts";
import { listEndpoints } from "../../../webhooks/endpoints.ts";
import { byTwoPeople } from "../../approvals/two-people.ts";
import { rotateAct, supportEmailAct } from "../../approved-acts/provider-acts.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { may } from "../../operators/role.ts";
import { twoPeopleView } from "../../views/approval-view.ts";
import { credentialView, endpointStateView } from "../../views/provider-view.ts";
import { consoleEndpoints } from "../console-endpoints.ts";
import {
  type AnswerOf,
  type ConsolePage,
  type ConsoleRoute,
  consoleRoute,
  type PageContext,
} from "../console-route.ts";
import { choice, facts, field, form, moment, section, table } from "../layout.ts";
import { twoPeoplePage } from "./approval-pages.ts";
import { clinicName, requireClinic } from "./clinic-names.ts";

const {
  listClinics,
  readClinic,
  rotateCredential: rotating,
  revokeCredentials: revoking,
  setSupportEmail,
  changeAccount,
} = consoleEndpoints;

export function clinicRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  const { db, environment } = dependencies;
  return [
    consoleRoute(listClinics, {
      async handle() {
        const clinics = await listProviders(db, environment);
        return { clinics: clinics.map(({ id, name, rut, active }) => ({ id, name, rut, active })) };
      },
      page: clinicsPage,
    }),
    consoleRoute(readClinic, {
      async handle({ params }) {
        const clinic = await requireClinic(dependencies, params.id);
        return {
          clinic: {
            ...clinicName(clinic),
            rut: clinic.rut,
            active: clinic.active,
            origins: clinic.origins,
            return_urls: clinic.returnUrls,
            support_email: clinic.supportEmail,
            support_phone: clinic.supportPhone,
            support_whatsapp: clinic.supportWhatsapp,
            commission_percentage: clinic.settings.commissionBasisPoints / 100,
          },
          credentials: (await showCredentials(dependencies, clinic.id)).map(credentialView),
          webhooks: (await listEndpoints(db, clinic.id)).map(endpointStateView),
        };
      },
      page: clinicPage,
    }),
    ...credentialRoutes(dependencies),
    consoleRoute(changeAccount, {
      async handle({ params, body: bankAccount, actor }) {
        const clinic = await requireClinic(dependencies, params.id);
        await setPayoutTerms(dependencies, { providerId: clinic.id, fee: null, bankAccount, actor });
        return { clinic: clinicName(clinic), account_ending: bankAccount.account_number.slice(-4) };
      },
      page: accountPage,
    }),
  ];
}

/** A clinic's credentials, and where its warnings are sent. */
function credentialRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  return [
    consoleRoute(rotating, {
      async handle({ params, body: request, actor }) {
        const { id: subject } = await requireClinic(dependencies, params.id);
        return twoPeopleView(await byTwoPeople(dependencies, rotateAct(dependencies), { subject, request, actor }));
      },
      page: (outcome, { params }) => twoPeoplePage(outcome, backTo(params.id)),
    }),
    consoleRoute(revoking, {
      async handle({ params, body: { kind }, actor }) {
        const clinic = await requireClinic(dependencies, params.id);
        const revoked = await revokeCredentials({ ...dependencies, actor }, { providerId: clinic.id, kind });
        return { clinic: clinicName(clinic), kind, revoked };
      },
      page: ({ kind, revoked }, { params }) => ({
        title: "Credencial terminada",
        body: html`<p class="notice" role="status">${revoked === 0 ? "No había ninguna" : "Ya no sirve ninguna"} de tipo <code>${kind}</code>.</p>${backTo(params.id)}`,
      }),
    }),
    consoleRoute(setSupportEmail, {
      async handle({ params, body: request, actor }) {
        const { id: subject } = await requireClinic(dependencies, params.id);
        return twoPeopleView(
          await byTwoPeople(dependencies, supportEmailAct(dependencies), { subject, request, actor }),
        );
      },
      page: (outcome, { params }) => twoPeoplePage(outcome, backTo(params.id)),
    }),
  ];
}

const backTo = (id = "") => html`<p><a href="/clinics/${id}">Volver a la clínica</a></p>`;

function clinicsPage({ clinics }: AnswerOf<typeof listClinics>): ConsolePage {
  return {
    title: "Clínicas",
    body: table(
      "",
      ["Nombre", "RUT", "Estado"],
      clinics.map(({ id, name, rut, active }) => [
        html`<a href="/clinics/${id}">${name}</a>`,
        rut,
        active ? "activa" : "inactiva",
      ]),
    ),
  };
}

function clinicPage(
  { clinic, credentials, webhooks }: AnswerOf<typeof readClinic>,
  { operator }: PageContext,
): ConsolePage {
  const path = `/clinics/${clinic.id}`;
  return {
    title: clinic.name,
    body: html`<p><a href="${path}/money">Pagos y saldos</a> · <a href="${path}/statement">Cuenta</a> · <a href="${path}/ledger">Libro</a> · <a href="${path}/reconciliation">Conciliación</a></p>
${facts([
  ["RUT", clinic.rut],
  ["Estado", clinic.active ? "activa" : "inactiva: sus credenciales no abren nada"],
  ["Comisión", `${clinic.commission_percentage} % del total, IVA incluido donde corresponde`],
  [
    "Ayuda a pacientes",
    [clinic.support_email, clinic.support_phone, clinic.support_whatsapp].filter(Boolean).join(", "),
  ],
  ["Páginas que muestran el checkout", clinic.origins.join(", ") || "ninguna"],
  ["Vuelta del paciente", clinic.return_urls.join(", ") || "ninguna"],
])}
${section(
  "Credenciales",
  html`${table(
    "De las secretas, solo el final.",
    ["Tipo", "Valor", "Desde", "Hasta"],
    credentials.map(({ kind, value, hint, created_at: from, ends_at: until }) => [
      html`<code>${kind}</code>`,
      html`<span class="hash">${value ?? `…${hint}`}</span>`,
      moment(from),
      moment(until),
    ]),
  )}
${may(operator.role, "credentials") && credentialForms(path)}`,
)}
${may(operator.role, "account") && section("Cuenta bancaria", accountForm(path), "account")}
${section(
  "Webhooks",
  table(
    "",
    ["Dirección", "Estado", "Eventos"],
    webhooks.map((endpoint) => [
      html`<a href="${path}/webhooks/${endpoint.id}">${endpoint.url}</a>`,
      endpoint.paused
        ? "en pausa"
        : endpoint.failing_since === null
          ? "bien"
          : html`falla desde ${moment(endpoint.failing_since)}`,
      endpoint.kinds.map((kind) => html`<code>${kind}</code> `),
    ]),
    { empty: "No tiene." },
  ),
)}`,
  };
}

function credentialForms(path: string): Html {
  const rotation = form(
    `${path}/credentials`,
    html`<h3>Cambiar una credencial</h3><p>Se necesitan dos personas; la nueva la ve quien aprueba. Con 0 horas la anterior deja de servir al aprobar.</p>${choice("kind", "Cuál", ROTATED)}${field("overlap_hours", "Horas en que sirven las dos", { type: "number", value: "0", isRequired: true })}<button class="weighty">Pedir otra</button>`,
    "Cambiar una credencial",
  );
  const revocation = form(
    `${path}/credentials/revoke`,
    html`<h3>Terminar una credencial ahora</h3><p>Si se filtró: deja de servir de inmediato y basta una persona. La clínica no puede usarla hasta que tenga otra.</p>${choice("kind", "Cuál", REVOKED, "", "revoked")}<button class="weighty">Terminar</button>`,
    "Terminar una credencial ahora",
  );
  const email = form(
    `${path}/support-email`,
    html`<h3>Cambiar el correo de ayuda</h3><p>Ahí llegan también los avisos sobre sus pagos. Se necesitan dos personas.</p>${field("support_email", "Correo", { isRequired: true, lengthMax: 255 })}<button class="weighty">Pedir el cambio</button>`,
    "Cambiar el correo de ayuda",
  );
  return html`<div class="panels">${rotation}${revocation}${email}</div>`;
}

function accountForm(path: string) {
  return form(
    `${path}/account`,
    html`<h3>Otra cuenta para los pagos</h3><p>Se avisa a la clínica, y nada se paga en ella hasta que dos personas la confirmen.</p>${field("bank", "Banco", { isRequired: true })}${choice(
      "account_type",
      "Tipo",
      [
        ["checking", "cuenta corriente"],
        ["sight", "cuenta vista"],
        ["savings", "cuenta de ahorro"],
      ],
    )}${field("account_number", "Número", { isRequired: true })}${field("holder_name", "Titular", { isRequired: true })}${field("holder_rut", "RUT del titular", { isRequired: true })}<button class="weighty">Registrar la cuenta</button>`,
    "Otra cuenta para los pagos",
  );
}

function accountPage({ clinic, account_ending: ending }: AnswerOf<typeof changeAccount>): ConsolePage {
  return {
    title: "Cuenta registrada",
    body: html`<p class="notice" role="status">La cuenta terminada en ${ending} quedó registrada. Si es nueva, el próximo pago diario la pone en la lista, y dos personas la confirman allí: <a href="/exceptions?kind=payee_account_changed">las excepciones</a>.</p><p><a href="/clinics/${clinic.id}">Volver a la clínica</a></p>`,
  };
}

const REVOKED = CREDENTIAL_KINDS.map((kind) => [kind, kind] as const);
const ROTATED = ["client_secret", "secret_key", "client_id", "public_key"].map((kind) => [kind, kind] as const);
