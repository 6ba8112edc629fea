import type * as z from "zod/mini";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { SealingKey } from "../../../src/contract/widget-tokens.ts";
import { insurerProtocol as protocol } from "../../../src/gateways/protocols/insurer.ts";
import { checkKeyedCall, checkTokensOf, type Done, type KeyedCall } from "./check-keyed-call.ts";
import { checkOutcome } from "./check-outcome.ts";
import { type CheckRun, faultOfAnswered, type Json, readAnswer } from "./check-run.ts";
import { checkSealingKey, seal } from "./check-sealing.ts";

type Filing = z.output<typeof protocol.fileClaim.outcome>;

/** An empty page. */
const DOCUMENT = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

export async function checkInsurer(run: CheckRun): Promise<void> {
  const key = await checkSealingKey(run, protocol.sealingKey.path);
  if (key === null) {
    run.noteNotChecked("/insurer", "everything else", "…", "there is no key to seal an access with");
    return;
  }
  const filing = await filingOf(run, key);
  const done = await checkKeyedCall(run, filing);
  if (done?.outcome.outcome !== "filed") return;
  await checkSameClaim(run, { done, claimId: done.outcome.claimId });
  await checkOutcome(run, {
    operation: protocol.fileClaim,
    check: "without-access",
    expected: "access_missing, for a claim without the patient's access",
    input: { ...(await filing.newInput()), sealedAccess: null },
    isExpected: ({ outcome }) => outcome === "access_missing",
  });
  await checkClaim(run, done.outcome.claimId);
}

async function filingOf(run: CheckRun, key: SealingKey): Promise<KeyedCall<Filing>> {
  const { insurer, rut, insurer_password: password, amount: total } = run.values;
  const iat = Math.floor((run.clock.now().getTime() - MINUTE_MS) / 1_000);
  const sealedAccess = await seal(key, { insurer, rut, password, iat });
  const documents = [
    { name: "boleta.pdf", type: "application/pdf", content: Buffer.from(DOCUMENT).toString("base64") },
  ];
  return {
    operation: protocol.fileClaim,
    newInput: async () => ({ insurer, rut, orderHash: run.order(), total, sealedAccess, documents }),
    changed: (input) => ({ ...input, total: total + 1 }),
    expected: "filed, with the claim's id",
    isExpected: ({ outcome }) => outcome === "filed",
    hasInquiry: true,
  };
}

async function checkSameClaim(
  run: CheckRun,
  { done, claimId }: { readonly done: Done<Filing>; readonly claimId: string },
): Promise<void> {
  await checkOutcome(run, {
    operation: protocol.fileClaim,
    check: "filed-again",
    expected: "filed with the same claimId: an order's claim is one claim under whichever key",
    input: done.input,
    isExpected: (outcome) => outcome.outcome === "filed" && outcome.claimId === claimId,
  });
}

async function checkClaim(run: CheckRun, claimId: string): Promise<void> {
  const { path, outcome } = protocol.claim;
  const reply = await run.ask({ path, key: run.key(), input: { claimId } });
  const read = readAnswer(run, outcome, reply);
  run.note(path, "good-call", "how the claim stands", "fault" in read ? read.fault : null);
  const unknown = await run.ask({ path, key: run.key(), input: { claimId: run.ids.uuid() } });
  run.note(path, "unknown-claim", "no answer: nothing is known of it", faultOfAnswered(run, unknown));
  const foreign = await run.ask({ path, key: run.key(), input: { claimId }, providerId: run.otherProviderId });
  run.note(path, "claim-of-another-provider", "no answer", faultOfAnswered(run, foreign));
  const body: Json = { provider_id: run.providerId, at: run.moment().toISOString(), input: { claimId } };
  await checkTokensOf(run, path, async () => JSON.stringify(body));
}
