import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AapdError } from "../../src/partner-client/errors.ts";
import { buyOnce, clinicAt } from "./buy-once.ts";
import { type Cell, type Clinic, openClinic, startCell } from "./cell.ts";
import {
  addressIn,
  credentialsElsewhere,
  orderElsewhere,
  type Paid,
  patientsApart,
  receiptsApart,
  registerInCell,
} from "./cells-apart.ts";
import { cellsRouter, findHostsHere, unknownHost, urlsOfCell } from "./cells-router.ts";
import { freePorts } from "./free-ports.ts";
import { startNginx } from "./nginx.ts";
import { SHIPPED_NGINX } from "./shipped-nginx.ts";

const NAMES = ["uno", "dos"] as const;
/** As many as in nginx's configuration. */
const PROCESSES = 2;
const FACES = 3;
const HEARD_WITHIN_MS = 30_000;

export interface CellsOptions {
  readonly folder: string;
  readonly say: (line: string) => void;
}

export interface CellsOutcome {
  /** Orders that patients have paid. */
  readonly purchases: number;
  /** Orders that were paid in one cell while the other was down. */
  readonly duringOutage: number;
  readonly webhooks: number;
  readonly wrong: readonly string[];
}

/**
 * Two cells behind one nginx, each with its own PostgreSQL server, two processes, keyring, files and clinics. A patient
 * pays in both, and neither knows the other's data. One cell's database and processes stop while patients pay in the
 * other, and come back. Then a clinic moves to the other cell, as docs/reference/distribution.md describes.
 */
export async function rehearseCells({ folder, say }: CellsOptions): Promise<CellsOutcome> {
  const closing: (() => unknown)[] = [];
  try {
    const { one, another, port } = await startTwoCells(folder, closing);
    say("two cells serve");
    const clinics = [
      await openClinic(one, { name: "Clínica Uno SpA", rut: "76.900.001-1" }, closing),
      await openClinic(another, { name: "Clínica Dos SpA", rut: "76.901.112-9" }, closing),
    ] as const;
    const paid = [await buyAt(clinics[0]), await buyAt(clinics[1])] as const;
    say("a patient has paid in both");
    const wrong = [...(await whatIsShared(paid)), ...(await answerWithoutCell(port))];
    say("nothing of one is known in the other");
    const outage = await withoutOne(clinics, say);
    const moved = await goToOtherCell(paid[0], another, closing);
    say("a clinic has gone to the other cell");
    const purchases = [...paid, ...outage.purchases, moved.paid];
    const received = await receivedEvents(purchases);
    return {
      purchases: purchases.length,
      duringOutage: outage.duringOutage,
      webhooks: received.webhooks,
      wrong: [
        ...purchases.flatMap(({ purchase }) => purchase.wrong),
        ...wrong,
        ...outage.wrong,
        ...moved.wrong,
        ...received.wrong,
      ],
    };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function startTwoCells(folder: string, closing: (() => unknown)[]) {
  findHostsHere();
  const [port = 0, ...behind] = await freePorts(1 + NAMES.length * PROCESSES * FACES);
  const portsOf = (cell: number) =>
    Array.from({ length: PROCESSES }, (_, number) => {
      const from = (cell * PROCESSES + number) * FACES;
      return behind.slice(from, from + FACES);
    });
  const start = (name: string, cell: number) => {
    const options = { name, urls: urlsOfCell(name, port), folder: join(folder, name), ports: portsOf(cell) };
    return startCell(options, closing);
  };
  const [one, another] = [await start(NAMES[0], 0), await start(NAMES[1], 1)];
  const cells = NAMES.map((name, cell) => ({ name, processes: portsOf(cell) }));
  const { stop } = await startNginx(folder, [port], cellsRouter(await readFile(SHIPPED_NGINX, "utf8"), port, cells));
  closing.push(stop);
  return { one, another, port };
}

/** The same patient buys at all clinics, and each first order has the same reference. */
async function buyAt(clinic: Clinic, reference?: string): Promise<Paid> {
  const email = addressIn(clinic.cell.name);
  const more = reference === undefined ? { email } : { email, reference };
  return { clinic, purchase: await buyOnce(clinic.cell.urls, clinic.issued, more) };
}

async function whatIsShared([one, another]: readonly [Paid, Paid]): Promise<string[]> {
  await registerInCell(one.clinic);
  await registerInCell(another.clinic);
  return [
    ...(await credentialsElsewhere(one, another.clinic)),
    ...(await credentialsElsewhere(another, one.clinic)),
    ...(await orderElsewhere(one, another.clinic)),
    ...(await orderElsewhere(another, one.clinic)),
    ...(await receiptsApart(one, another.clinic)),
    ...(await receiptsApart(another, one.clinic)),
    ...(await patientsApart(one, another)),
  ];
}

async function answerWithoutCell(port: number): Promise<string[]> {
  const { status } = await fetch(`${unknownHost(port)}/orders`);
  return status === 421 ? [] : [`a host of no cell was answered ${status}`];
}

interface Outage {
  readonly purchases: readonly Paid[];
  readonly duringOutage: number;
  readonly wrong: readonly string[];
}

/** Stops the second cell, its database first, while patients continue to pay in the first one; then restarts it. */
async function withoutOne([here, there]: readonly [Clinic, Clinic], say: (line: string) => void): Promise<Outage> {
  const { cell } = there;
  const purchases: Paid[] = [];
  const wrong: string[] = [];
  let isOver = false;
  const coming = (async () => {
    for (let number = 0; !isOver; number += 1) purchases.push(await buyAt(here, `outage-${number}`));
  })();
  // Faults are collected and thrown here, at the end.
  coming.catch(() => undefined);
  const expectAway = async (what: string, wanted: readonly string[]) => {
    const refusal = await refusalOf(there);
    if (!wanted.includes(refusal)) wrong.push(`${cell.name} ${what}: ${refusal}`);
  };
  const untilAnotherHasPaid = async () => {
    const before = purchases.length;
    while (purchases.length < before + 2) await Promise.race([pause(50), coming]);
  };
  await cell.postgres.end();
  // 503 for a request that a process had begun, then 504 because it begins no more (`src/app/listen.ts`).
  await expectAway("without its database", ["503 service_unavailable", "504 service_unavailable"]);
  await untilAnotherHasPaid();
  await Promise.all(cell.services.map((service) => service.kill()));
  await expectAway("without its processes", ["502 upstream_unavailable"]);
  await untilAnotherHasPaid();
  isOver = true;
  await coming;
  const duringOutage = purchases.length;
  say(`one cell was down: ${duringOutage} patients have paid in the other`);
  await cell.postgres.begin();
  await Promise.all(cell.services.map((service) => service.start()));
  purchases.push(await buyAt(there, "after-the-outage"));
  return { purchases, duringOutage, wrong };
}

/** The status and code of the answer to a clinic that reads an order. */
async function refusalOf({ cell, issued }: Clinic): Promise<string> {
  return clinicAt(cell.urls, issued)
    .getOrder("00000000-0000-4000-8000-000000000000")
    .then(
      () => "200",
      (error: unknown) => (error instanceof AapdError ? `${error.status} ${error.code}` : "no answer"),
    );
}

/**
 * The clinic is created in the other cell. Its existing orders stay: one is refunded in the cell where it was created.
 */
async function goToOtherCell({ clinic, purchase: { hash } }: Paid, cell: Cell, closing: (() => unknown)[]) {
  const opened = await openClinic(cell, { name: "Clínica Uno SpA", rut: clinic.rut }, closing);
  const paid = await buyAt(opened);
  await clinicAt(clinic.cell.urls, clinic.issued).refundOrder(hash);
  const { status } = await clinicAt(clinic.cell.urls, clinic.issued).getOrder(hash);
  return { paid, wrong: status === "refunded" ? [] : [`an order of before the clinic went: ${status}`] };
}

/** Checks that every receiver got all events of its clinic's orders, and no others. */
async function receivedEvents(purchases: readonly Paid[]): Promise<{ webhooks: number; wrong: string[] }> {
  const clinics = [...new Set(purchases.map(({ clinic }) => clinic))];
  const wrong: string[] = [];
  for (const clinic of clinics) {
    const own = new Set(purchases.filter((paid) => paid.clinic === clinic).map(({ purchase }) => purchase.hash));
    const events = () => clinic.receiver.received;
    const isReported = (hash: string) =>
      events().some(({ orderId, event }) => orderId === hash && event === "order.paid");
    const deadline = performance.now() + HEARD_WITHIN_MS;
    while (![...own].every(isReported) && performance.now() < deadline) await pause(50);
    for (const hash of own) if (!isReported(hash)) wrong.push(`no webhook of an order in ${clinic.cell.name}`);
    if (events().some(({ orderId }) => !own.has(orderId)))
      wrong.push(`a webhook of another cell in ${clinic.cell.name}`);
  }
  return { webhooks: clinics.reduce((sum, { receiver }) => sum + receiver.received.length, 0), wrong };
}
