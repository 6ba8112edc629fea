import { createHash } from "node:crypto";
import { insurerAccessToSealSchema } from "../../src/contract/onboarding.ts";
import type { Rut } from "../../src/contract/vocabulary/rut.ts";
import type { GatewayCall, Unknown } from "../../src/gateways/gateway-call.ts";
import type { ClaimOutcome, FilingOutcome, InsurerConnector } from "../../src/gateways/insurer.ts";
import { filingSchema } from "../../src/gateways/protocols/insurer.ts";
import type { Transaction } from "../../src/platform/database/transaction.ts";
import { takeFault } from "../calls/gateway-call-store.ts";
import { callOnce, type Effect, inquire, type SandboxDependencies, UNKNOWN } from "../calls/sandbox-call.ts";
import type { SealingKeys } from "../sealing/sealing-keys.ts";
import { claimAt, filingRefusal, type InsurerBehaviour, isPasswordForgotten } from "./claim.ts";
import { enterPortal, findClaim, insertClaim, lockClaimOfOrder, renewAccess, writeAsked } from "./insurer-store.ts";

export interface SandboxInsurerDependencies extends SandboxDependencies {
  readonly sealingKeys: SealingKeys;
  /** How the insurer handles a person's claims. */
  readonly insurerBehaviour: (rut: Rut) => InsurerBehaviour;
}

type FilingInput = Parameters<InsurerConnector["fileClaim"]>[1];

export const PARTY = "insurer";

/**
 * The isapres' portals, whose behaviour depends on the patient's RUT, as the catalogue specifies. Filing an order's
 * claim again yields the same claim; new access ends a block. After 7 days without an inquiry the password is
 * forgotten. Neither documents nor passwords are stored.
 */
export function createSandboxInsurer(dependencies: SandboxInsurerDependencies): InsurerConnector {
  const filing = (call: GatewayCall) => ({ party: PARTY, operation: "fileClaim", call, answer: filingSchema }) as const;
  return {
    takesAccess: true,
    sealingKey: () => dependencies.sealingKeys.newest(),
    async fileClaim(call, input) {
      const filed = await readFiling(dependencies, input);
      return callOnce(dependencies, { ...filing(call), input: filed.summary }, (tx) =>
        fileClaim(dependencies, tx, call, filed),
      );
    },
    inquireFiling: (call) => inquire(dependencies, { ...filing(call), method: "inquireFiling" }),
    inquireClaim: (call, { claimId }) => inquireClaim(dependencies, call, claimId),
  };
}

interface ReadFiling {
  readonly input: FilingInput;
  readonly access: "usable" | "missing";
  readonly accessSha256: string;
  /** The submitted data, as hashes. */
  readonly summary: unknown;
}

/** Reads a filing as a portal would: reads every document and opens the access. */
async function readFiling({ sealingKeys }: SandboxInsurerDependencies, input: FilingInput): Promise<ReadFiling> {
  const documents: string[] = [];
  for (const document of input.documents) documents.push(sha256(await document.read()));
  const accessSha256 = sha256(input.sealedAccess ?? "");
  return {
    input,
    access: await readAccess(sealingKeys, input),
    accessSha256,
    summary: [input.insurer, input.rut, input.orderHash, input.total, accessSha256, documents],
  };
}

async function readAccess(sealingKeys: SealingKeys, input: FilingInput): Promise<"usable" | "missing"> {
  if (input.sealedAccess === null) return "missing";
  const opened = insurerAccessToSealSchema.safeParse(await sealingKeys.open(input.sealedAccess));
  const isTheirs = opened.success && opened.data.rut === input.rut && opened.data.insurer === input.insurer;
  return isTheirs ? "usable" : "missing";
}

async function fileClaim(
  { ids, insurerBehaviour }: SandboxInsurerDependencies,
  tx: Transaction,
  call: GatewayCall,
  { input, access, accessSha256 }: ReadFiling,
): Promise<Effect<Exclude<FilingOutcome, Unknown>>> {
  const { providerId, at } = call;
  const { rut, orderHash, insurer, total } = input;
  const behaviour = insurerBehaviour(rut);
  const known = orderHash === null ? undefined : await lockClaimOfOrder(tx, { providerId, orderHash });
  // A claim that is already filed needs no further documents.
  const documents = known === undefined ? input.documents.length : Number.POSITIVE_INFINITY;
  const first = await enterPortal(tx, { providerId, rut, at, accessSha256 });
  const isFirstAccess = first.firstAccessSha256 === accessSha256;
  const refusal = filingRefusal(
    { behaviour, access, documents, firstCalledAt: first.firstCalledAt, isFirstAccess },
    at,
  );
  if (refusal !== null) return refusal.outcome === "portal_down" ? { passing: refusal } : { answered: refusal };
  if (known !== undefined) {
    if (known.accessSha256 !== accessSha256) await renewAccess(tx, known, accessSha256, at);
    await writeAsked(tx, known, at);
    return { answered: { outcome: "filed", claimId: known.id } };
  }
  const id = ids.uuid();
  await insertClaim(tx, { id, providerId, orderHash, insurer, total, behaviour, documents, accessSha256, filedAt: at });
  return { answered: { outcome: "filed", claimId: id } };
}

async function inquireClaim(
  { db }: SandboxInsurerDependencies,
  { providerId, at }: GatewayCall,
  claimId: string,
): Promise<ClaimOutcome> {
  const fault = await takeFault(db, { providerId, party: PARTY, method: "inquireClaim" });
  if (fault !== null && fault !== "twice") return UNKNOWN;
  const claim = await findClaim(db, { providerId, claimId });
  if (claim === undefined) return UNKNOWN;
  if (!isPasswordForgotten(claim, at)) await writeAsked(db, claim, at);
  return claimAt(claim, at);
}

function sha256(value: string | Uint8Array): string {
  return createHash("sha256").update(value).digest("hex");
}
