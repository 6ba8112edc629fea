import { type MintSelfServiceTokenDependencies, mintSelfServiceToken } from "../checkout/mint-self-service-token.ts";
import { DATA_LINK_HOURS } from "../contract/terms.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { lockMailboxOf } from "../patients/operations.ts";
import { findBeneficiary } from "../patients/patients.ts";
import { tenantOf } from "../patients/tenant.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import { insertDataLink, readSentLinks } from "./my-data/erasure-store.ts";
import { LINKS_COUNTED_MS, maySendLink } from "./my-data/rights.ts";

export interface SendDataLinkDependencies extends NotifyPatientDependencies, MintSelfServiceTokenDependencies {
  readonly db: Database;
}

export interface DataLinkRequest {
  readonly provider: Provider;
  /** The public key with which the page is opened. */
  readonly publicKey: string;
  readonly rut: Rut;
  /** `patient`, or `operator:<name>`. */
  readonly actor: string;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Sends a patient the link to their own data, to the registered address and only a few times a day. The result is for
 * operators only: a public caller must not learn who is registered or whether a link was sent. Returns whether a link
 * was sent.
 */
export async function sendDataLink(
  dependencies: SendDataLinkDependencies,
  { provider, publicKey, rut, actor, now }: DataLinkRequest,
): Promise<boolean> {
  const { db, ids } = dependencies;
  const patient = await findBeneficiary(db, { tenant: tenantOf(provider), rut });
  if (patient === null) return false;
  return inTransaction(db, async (tx) => {
    const ofMailbox = await lockMailboxOf(tx, patient.userId);
    if (ofMailbox === null) return false;
    const sent = await readSentLinks(tx, ofMailbox, new Date(now.getTime() - LINKS_COUNTED_MS));
    const times = sent.map(({ beneficiaryId, sentAt }) => ({ at: sentAt, isTheirs: beneficiaryId === patient.id }));
    if (!maySendLink(times, now)) return false;
    await insertDataLink(tx, { beneficiaryId: patient.id, sentAt: now });
    const link = await mintSelfServiceToken(dependencies, tx, {
      provider,
      publicKey,
      purpose: "my_data",
      beneficiaryId: patient.id,
      rut: patient.rut,
      now,
      expiresAt: new Date(now.getTime() + DATA_LINK_HOURS * HOUR_MS),
    });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: provider.id,
      actor,
      credentialId: null,
      act: "patient_data.link_sent",
      subject: { kind: "beneficiary", id: patient.id },
      details: { widget_token: link.id },
      at: now,
    });
    await notifyPatient(dependencies, tx, {
      provider,
      cause: `data_link:${link.id}`,
      to: patient.email,
      rut: patient.rut,
      beneficiaryId: patient.id,
      notification: { kind: "data_link", dataUrl: link.url },
      usefulForMs: DATA_LINK_HOURS * HOUR_MS,
    });
    return true;
  });
}
