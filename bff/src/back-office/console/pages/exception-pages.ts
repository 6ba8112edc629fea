import { LACKING_DOCUMENTS, readClaimByHand, readDocument } from "../../../claims/hand-worked-claims.ts";
import { INSURERS } from "../../../contract/onboarding.ts";
import { clp } from "../../../contract/vocabulary/clp.ts";
import { maskRut, readRut } from "../../../contract/vocabulary/rut.ts";
import { type Content, type Html, html } from "../../../platform/http/html.ts";
import { showRequest } from "../../../self-service/operations.ts";
import { accountToConfirm } from "../../../settlement/payout-terms.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { EXCEPTION_SORTS } from "../../exception-store.ts";
import { type ListedException, readExceptionId } from "../../exceptions/exception.ts";
import { EXCEPTION_KINDS, type ExceptionKind, RESOLUTIONS, type Resolution } from "../../exceptions/exception-kinds.ts";
import { requestedResolution, resolveException } from "../../exceptions/resolve-exception.ts";
import { EXCEPTIONS_LISTED_MAX, exceptionTotals, findException, listExceptions } from "../../list-exceptions.ts";
import { may, mayResolve, type Role } from "../../operators/role.ts";
import { nameOf } from "../../operators.ts";
import { beginTogether } from "../../resolve-together.ts";
import { exceptionView, totalViews } from "../../views/exception-view.ts";
import { consoleEndpoints } from "../console-endpoints.ts";
import {
  type AnswerOf,
  type ConsolePage,
  type ConsoleRoute,
  consoleRoute,
  type PageContext,
} from "../console-route.ts";
import { readJob } from "../jobs/read-job.ts";
import {
  age,
  ago,
  choice,
  facts,
  field,
  fold,
  form,
  knownFacts,
  moment,
  orderLink,
  pesos,
  section,
  severityMark,
  spoken,
  table,
} from "../layout.ts";
import { ConsoleRefused } from "../refusal.ts";
import {
  durationWords,
  EXCEPTION_WORDS,
  LACKING_WORDS,
  RESOLUTION_WORDS,
  resolutionWords,
  SORT_WORDS,
} from "../words.ts";
import { clinicNames, requireClinic } from "./clinic-names.ts";
import { exceptionPath } from "./order-pages.ts";

const { listExceptions: listing, readException, resolveException: resolving } = consoleEndpoints;
const { resolveTogether, readJob: reading, readClaimDocument } = consoleEndpoints;

export function exceptionRoutes(dependencies: ConsoleDependencies): ConsoleRoute[] {
  return [
    consoleRoute(listing, {
      async handle({ query: { kind, provider_id: providerId = null, sort = "severity" } }) {
        const listed = await listExceptions(dependencies, providerId, { sort, ...(kind !== undefined && { kind }) });
        return {
          exceptions: listed.map(exceptionView),
          totals: totalViews(await exceptionTotals(dependencies, providerId)),
          clinics: await clinicNames(dependencies),
          only_oldest: listed.length >= EXCEPTIONS_LISTED_MAX,
        };
      },
      page: listPage,
    }),
    consoleRoute(readException, {
      handle: ({ params, actor, operator }) => show(dependencies, params.name ?? "", actor, operator.role),
      page: exceptionPage,
    }),
    consoleRoute(resolving, {
      async handle({ params, body: { resolution, note, amount, day }, operator, actor }) {
        if (!mayResolve(operator.role, resolution)) throw new ConsoleRefused("not_allowed");
        const name = params.name ?? "";
        const named = readExceptionId(name);
        const exception = named === null ? null : await findException(dependencies, named);
        const orderHash = exception?.orderId ?? null;
        const reported = { ...(amount !== undefined && { amount: clp(amount) }), ...(day !== undefined && { day }) };
        const request = { resolution, note, actor, ...reported };
        const { isDone, outcome } = await resolveException(dependencies, name, request);
        return { exception: name, resolution, is_done: isDone, outcome, order_hash: orderHash };
      },
      page: resolvedPage,
    }),
    consoleRoute(readClaimDocument, {
      handle: ({ params, actor }) => documentOf(dependencies, params, actor),
      page: ({ name, type, base64 }) => ({ title: name, body: html``, file: { name, type, base64 } }),
    }),
    consoleRoute(resolveTogether, {
      async handle({ body: { resolution, note, exceptions }, operator, actor }) {
        if (!mayResolve(operator.role, resolution)) throw new ConsoleRefused("not_allowed");
        return { job_id: await beginTogether(dependencies, { resolution, note, exceptions, actor }) };
      },
      page: begunPage,
    }),
    consoleRoute(reading, {
      async handle({ params }) {
        const job = await readJob(dependencies.db, params.id ?? "");
        if (job === null) throw new ConsoleRefused("not_found");
        return job;
      },
      page: jobPage,
    }),
  ];
}

async function show(
  dependencies: ConsoleDependencies,
  name: string,
  actor: string,
  role: Role,
): Promise<AnswerOf<typeof readException>> {
  const named = readExceptionId(name);
  const exception = named === null ? null : await findException(dependencies, named);
  if (exception === null) throw new ConsoleRefused("not_found");
  const clinic = await requireClinic(dependencies, exception.providerId);
  const first = await requestedResolution(dependencies.db, exception, dependencies.clock.now());
  return {
    exception: exceptionView(exception),
    clinic: clinic.name,
    asked_first:
      first === null
        ? null
        : {
            resolution: first.resolution,
            amount: first.amount,
            by: nameOf(first.askedBy),
            at: first.askedAt.toISOString(),
          },
    account: exception.kind === "payee_account_changed" ? await accountToConfirm(dependencies, exception) : null,
    claim: may(role, "help") ? await claimOf(dependencies, exception, actor) : null,
    request: may(role, "help") ? await requestOf(dependencies, exception, actor) : null,
  };
}

const BY_HAND: readonly ExceptionKind[] = ["claim_to_file", "claim_to_file_late", "claim_to_answer"];

/** The claim of an exception that an operator files by hand; its reading is audited. */
async function readByHand(dependencies: ConsoleDependencies, exception: ListedException, actor: string) {
  const { kind, providerId, subject: id } = exception;
  if (!BY_HAND.includes(kind)) return null;
  return readClaimByHand(dependencies, { providerId, id, actor, at: dependencies.clock.now() });
}

async function claimOf(dependencies: ConsoleDependencies, exception: ListedException, actor: string) {
  const claim = await readByHand(dependencies, exception, actor);
  if (claim === null) return null;
  const { files, insurer, ...shown } = claim;
  return { ...shown, insurer: INSURERS[insurer], documents: files.map(({ name, type }) => ({ name, type })) };
}

async function documentOf(
  dependencies: ConsoleDependencies,
  { name = "", number = "" }: Readonly<Record<string, string>>,
  actor: string,
): Promise<AnswerOf<typeof readClaimDocument>> {
  const named = readExceptionId(name);
  const exception = named === null ? null : await findException(dependencies, named);
  const claim = exception && (await readByHand(dependencies, exception, actor));
  const file = claim?.files[Number(number) - 1];
  if (file === undefined) throw new ConsoleRefused("not_found");
  const bytes = await readDocument(dependencies, file);
  return { name: file.name, type: file.type, base64: Buffer.from(bytes).toString("base64") };
}

/** A patient's request; of the patient, only the beginning of the RUT. */
async function requestOf(dependencies: ConsoleDependencies, { kind, subject }: ListedException, actor: string) {
  if (kind !== "rights_request" && kind !== "rights_request_late") return null;
  const requested = await showRequest(dependencies, subject, actor);
  const rut = requested === null ? null : readRut(requested.rut);
  if (requested === null || rut === null) return null;
  return { kind: requested.kind, words: requested.words, rut: maskRut(rut), answer_by: requested.answer_by };
}

type Listed = AnswerOf<typeof listing>;
type Shown = AnswerOf<typeof readException>["exception"];

function listPage(listed: Listed, { query, operator }: PageContext): ConsolePage {
  const { exceptions, clinics, only_oldest: isCut } = listed;
  const kind = typeof query.kind === "string" && query.kind !== "" ? (query.kind as ExceptionKind) : null;
  const nameOfClinic = new Map(clinics.map(({ id, name }) => [id, name]));
  const together = kind === null ? [] : togetherResolutions(kind, operator.role);
  const rows = exceptions.map((one): readonly Content[] => [
    ...(together.length > 0
      ? [
          html`<label class="tick"><input type="checkbox" name="exceptions" value="${one.exception}" form="together"><span>elegir</span></label>`,
        ]
      : []),
    html`<a href="${exceptionPath(one.exception)}">${EXCEPTION_WORDS[one.kind].title}</a>`,
    severityMark(one.severity),
    age(one.age_seconds, one.since),
    nameOfClinic.get(one.provider_id) ?? "—",
    orderLink(one.order_hash),
    factsOrDash(one),
  ]);
  const columns = ["Qué", "Gravedad", "Hace", "Clínica", "Orden", "Se sabe"];
  return {
    title: kind === null ? "Excepciones" : EXCEPTION_WORDS[kind].title,
    body: html`${totalsOf(listed, kind)}
${filterForm(listed, kind, query)}
${table("", together.length > 0 ? ["Elegir", ...columns] : columns, rows, { empty: "Ninguna." })}
${isCut && html`<p class="lead">Solo ${EXCEPTIONS_LISTED_MAX}: filtra por clínica o por tipo para ver las demás.</p>`}
${
  together.length > 0 &&
  rows.length > 0 &&
  section(
    "Resolver las elegidas",
    html`<form id="together" class="panel" method="post" action="/resolutions" aria-label="Resolver las elegidas">${choice("resolution", "Cómo", together)}${NOTE}<button class="weighty">Resolver las elegidas</button></form>`,
  )
}`,
  };
}

function factsOrDash({ facts: known }: Shown): Content {
  return Object.values(known).some((value) => value !== null) ? knownFacts(known) : "—";
}

/** How many wait, of a kind or of all, and since when. */
function totalsOf({ totals }: Listed, kind: ExceptionKind | null): Content {
  const shown = totals.filter((total) => kind === null || total.kind === kind);
  const sum = (of: (total: (typeof totals)[number]) => number) => shown.reduce((all, total) => all + of(total), 0);
  const count = sum((total) => total.count);
  if (count === 0) return false;
  const high = sum((total) => (total.severity === "high" ? total.count : 0));
  const amount = sum((total) => total.amount ?? 0);
  return facts([
    ["Esperan", count],
    ["De gravedad alta", high],
    ["La más antigua", `hace ${durationWords(Math.max(...shown.map((total) => total.oldest_seconds)))}`],
    ...(amount === 0 ? [] : [["Montos que nombran, sumados", pesos(amount)] as const]),
  ]);
}

/** The folded filter; its summary names the listed kinds, the clinic and the sort. */
function filterForm({ totals, clinics }: Listed, kind: ExceptionKind | null, query: PageContext["query"]): Html {
  const counts = new Map<string, number>(totals.map((total) => [total.kind, total.count]));
  const clinic = String(query.provider_id ?? "");
  const sort = EXCEPTION_SORTS.find((each) => each === query.sort) ?? "severity";
  const named = (value: string, title: string) => {
    const count = counts.get(value);
    return [value, count === undefined ? title : `${title} (${count})`] as const;
  };
  const chosen = [
    kind === null ? "todas" : EXCEPTION_WORDS[kind].title,
    clinic === "" ? "todas las clínicas" : (clinics.find(({ id }) => id === clinic)?.name ?? clinic),
    SORT_WORDS[sort].toLowerCase(),
  ];
  return fold(
    `Filtrar y ordenar: ${chosen.join(" · ")}`,
    html`<form class="panel" action="/exceptions" aria-label="Filtrar">${choice(
      "kind",
      "Qué",
      [["", "Todas"] as const, ...kinds.map(([value, title]) => named(value, title))],
      kind ?? "",
    )}${choice(
      "provider_id",
      "Clínica",
      [["", "Todas las clínicas"] as const, ...clinics.map(({ id, name }) => [id, name] as const)],
      clinic,
    )}${choice(
      "sort",
      "Orden de la lista",
      EXCEPTION_SORTS.map((each) => [each, SORT_WORDS[each]] as const),
      sort,
    )}<button class="quiet">Filtrar</button></form>`,
  );
}

const kinds = (Object.keys(EXCEPTION_KINDS) as ExceptionKind[]).map(
  (kind) => [kind, EXCEPTION_WORDS[kind].title] as const,
);
const NOTE = field("note", "Por qué", {
  isRequired: true,
  lengthMax: 200,
  hint: "Queda en la auditoría; sin nombres ni números de pacientes.",
});

/** For resolutions that mail the note to the patient. */
const ANSWER = field("note", "Respuesta al paciente", { isRequired: true, lengthMax: 200 });

/** The resolutions for several exceptions of a kind. Excludes those that mail their note to one patient. */
function togetherResolutions(kind: ExceptionKind, role: Role): (readonly [Resolution, string])[] {
  const resolutions: readonly Resolution[] = EXCEPTION_KINDS[kind].resolutions;
  return resolutions
    .filter((resolution) => !("notTogether" in RESOLUTIONS[resolution]) && mayResolve(role, resolution))
    .map((resolution) => [resolution, RESOLUTION_WORDS[resolution].name] as const);
}

/** Resolutions that book a received amount. */
const TAKES_AMOUNT: readonly Resolution[] = ["paid_otherwise", "paid_after_write_off"];

function exceptionPage(
  { exception, clinic, asked_first: first, account, claim, request }: AnswerOf<typeof readException>,
  { operator }: PageContext,
): ConsolePage {
  const { title, advice } = EXCEPTION_WORDS[exception.kind];
  const allowed = exception.resolutions.filter((resolution) => mayResolve(operator.role, resolution));
  return {
    title,
    body: html`<p class="lead">${advice}</p>
${facts([
  ["Gravedad", severityMark(exception.severity)],
  ["Desde", html`${moment(exception.since)}, ${ago(exception.age_seconds)}`],
  ["Clínica", html`<a href="/clinics/${exception.provider_id}">${clinic}</a>`],
  [
    "Orden",
    exception.order_hash === null
      ? "—"
      : html`<a class="hash" href="/orders/${exception.order_hash}">${exception.order_hash}</a>`,
  ],
  ["Se sabe", factsOrDash(exception)],
  ...(account === null
    ? []
    : [["Cuenta por confirmar", `${account.bank}, terminada en ${account.ending}, de ${account.holder}`] as const]),
])}
${nextStep(exception)}
${claim !== null && claimSection(exception.exception, claim)}
${
  request !== null &&
  section(
    "Lo que pide",
    html`${facts([
      ["Derecho", request.kind],
      ["RUT", request.rut],
      ["Responder antes de", moment(request.answer_by)],
    ])}<blockquote class="notice">${request.words}</blockquote>`,
  )
}
${first !== null && html`<p class="notice" data-tone="warning">${first.by} ya pidió «${resolutionWords(first.resolution)}»${first.amount !== null && html` por ${pesos(first.amount)}`}, ${moment(first.at)}. Si otra persona pide lo mismo, se hace.</p>`}
${section(
  "Resolver",
  allowed.length === 0
    ? html`<p class="empty">Tu rol no resuelve esto.</p>`
    : html`<div class="panels">${allowed.map((resolution) =>
        form(
          `${exceptionPath(exception.exception)}/resolve`,
          html`<h3>${RESOLUTION_WORDS[resolution].name}</h3><p>${RESOLUTION_WORDS[resolution].means}</p><input type="hidden" name="resolution" value="${resolution}">${
            TAKES_AMOUNT.includes(resolution) && field("amount", "Cuánto llegó, en pesos", { isRequired: true })
          }${noteOf(resolution)}<button class="quiet">${RESOLUTION_WORDS[resolution].name}</button>`,
          RESOLUTION_WORDS[resolution].name,
        ),
      )}</div>`,
)}`,
  };
}

const DAY = field("day", "Día de la aprobación", { isRequired: true, type: "date" });
const APPROVED_AMOUNT = field("amount", "Cuánto reembolsa, en pesos", { isRequired: true });
const CLAIM_NUMBER = field("note", "Número de la solicitud en la isapre", { isRequired: true, lengthMax: 64 });
const LACKING = choice("note", "Cuál documento pide la isapre", [
  ["", "Elige uno"],
  ...LACKING_DOCUMENTS.map((document) => [document, LACKING_WORDS[document]] as const),
]);
const REASON_OF_ISAPRE = field("note", "Motivo de la isapre, que leerá el paciente", {
  isRequired: true,
  lengthMax: 200,
});

/** The fields of a resolution besides an amount that arrived. */
function noteOf(resolution: Resolution): Content {
  if (resolution === "filed_by_hand") return CLAIM_NUMBER;
  if (resolution === "isapre_approved") return html`${APPROVED_AMOUNT}${DAY}${NOTE}`;
  if (resolution === "isapre_rejected") return REASON_OF_ISAPRE;
  if (resolution === "document_lacking") return LACKING;
  return "notTogether" in RESOLUTIONS[resolution] ? ANSWER : NOTE;
}

/** A claim with its documents, as it is typed on the isapre's portal. */
function claimSection(exception: string, claim: NonNullable<AnswerOf<typeof readException>["claim"]>): Html {
  return section(
    "La solicitud",
    html`${claim.refunded > 0 && html`<p class="notice" data-tone="warning">La orden tiene devoluciones por ${pesos(claim.refunded)}.</p>`}${facts(
      [
        ["Isapre", claim.insurer],
        ["RUT", claim.rut],
        ["Paciente", claim.patient],
        ["Monto de la boleta", pesos(claim.total)],
      ],
    )}<ul>${claim.documents.map(
      ({ name }, index) =>
        html`<li><a href="${exceptionPath(exception)}/documents/${index + 1}" download>${name}</a></li>`,
    )}</ul>`,
  );
}

/** The page to visit first, if any; the forms below are for the rest. */
function nextStep({ kind, order_hash: hash, provider_id: clinic }: Shown): Html | false {
  const step = EXCEPTION_WORDS[kind].firstStep;
  if (step === undefined) return false;
  const path = step.on === "order" ? hash !== null && `/orders/${hash}` : `/clinics/${clinic}`;
  return path !== false && html`<p class="notice">Primero: <a href="${path}#${step.at}">${step.name}</a>.</p>`;
}

function resolvedPage(resolved: AnswerOf<typeof resolving>): ConsolePage {
  const { is_done: isDone, resolution, outcome, order_hash: hash } = resolved;
  const words = isDone
    ? `Hecho: ${RESOLUTION_WORDS[resolution].name}.`
    : "Todavía no se hace nada: otra persona tiene que pedir lo mismo.";
  return {
    title: isDone ? "Hecho" : "Falta otra persona",
    body: html`<p class="notice"${!isDone && html` data-tone="warning"`} role="status">${words}</p><p>${spoken(outcome)}</p><p>${hash !== null && html`<a href="/orders/${hash}">Ver la orden</a> · `}<a href="/exceptions">Volver a las excepciones</a></p>`,
  };
}

function begunPage({ job_id: id }: AnswerOf<typeof resolveTogether>): ConsolePage {
  return {
    title: "En camino",
    body: html`<p class="notice" role="status">Se resuelven una por una. La que se rechaza no detiene a las demás.</p><p><a href="/resolutions/${id}">Ver cómo va</a></p>`,
  };
}

const ITEM_WORDS = {
  waiting: "espera",
  done: "hecho",
  second_operator: "falta otra persona",
  refused: "no se hizo",
} as const;

function jobPage({
  resolution,
  items,
  begun_at: begun,
  ended_at: ended,
  actor,
  note,
}: AnswerOf<typeof reading>): ConsolePage {
  const settled = items.filter(({ state }) => state !== "waiting").length;
  return {
    title: `${RESOLUTION_WORDS[resolution].name}: ${settled} de ${items.length}`,
    ...(ended === null ? { refreshSeconds: 2 } : {}),
    body: html`<p><label>Avance <progress max="${items.length}" value="${settled}">${settled} de ${items.length}</progress></label></p>
${facts([
  ["Quién", nameOf(actor)],
  ["Por qué", note === null ? "—" : html`<q>${note}</q>`],
  ["Empezó", moment(begun)],
  ["Terminó", moment(ended)],
])}
${table(
  "",
  ["Excepción", "Cómo va", "Detalle"],
  items.map(({ exception, state, outcome }) => [
    html`<a class="hash" href="${exceptionPath(exception)}">${exception}</a>`,
    ITEM_WORDS[state],
    outcome === null ? "—" : spoken(outcome),
  ]),
)}`,
  };
}
