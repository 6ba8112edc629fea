import * as z from "zod";
import { HOUR_MS } from "../../contract/vocabulary/durations.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { CREDENTIAL_KINDS } from "../../tenants/credential.ts";
import { requireOverlap, rotateWithin } from "../../tenants/credentials.ts";
import { changeWithin } from "../../tenants/manage-provider.ts";
import { agreedFields } from "../../tenants/provider-terms.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { ApprovalRefused } from "../approvals/approvals.ts";
import type { TwoPeopleDependencies, TwoPersonAct } from "../approvals/two-people.ts";

export interface ProviderActDependencies extends TwoPeopleDependencies {
  readonly keyring: Keyring;
}

const rotationSchema = z.strictObject({ kind: z.enum(CREDENTIAL_KINDS), overlap_hours: z.number() });
const supportEmailSchema = z.strictObject({ support_email: agreedFields.supportEmail });

/** Rotating a provider's own credential. Partners rotate the webhook secrets of their endpoints themselves. */
export function rotateAct(dependencies: ProviderActDependencies): TwoPersonAct<z.output<typeof rotationSchema>> {
  return {
    act: "credential.rotate",
    schema: rotationSchema,
    async check(tx, { subject, request }) {
      requireOverlap(overlapMs(request));
      await requireProvider(tx, subject);
    },
    async carryOut(tx, { subject: providerId, request }, { actor }) {
      const { kind } = request;
      const rotation = { providerId, kind, overlapMs: overlapMs(request) };
      const { value } = await rotateWithin(tx, { ...dependencies, actor }, rotation);
      const old =
        request.overlap_hours === 0 ? "The old one has ended." : `The old one ends in ${request.overlap_hours} h.`;
      return { outcome: `New ${kind}. ${old}`, secret: { name: kind, value } };
    },
  };
}

function overlapMs({ overlap_hours: hours }: z.output<typeof rotationSchema>): number {
  return Math.round(hours * HOUR_MS);
}

/** Changes where warnings about a clinic's payouts and its patients' questions are sent. */
export function supportEmailAct(
  dependencies: TwoPeopleDependencies,
): TwoPersonAct<z.output<typeof supportEmailSchema>> {
  return {
    act: "provider.set_support_email",
    schema: supportEmailSchema,
    check: (tx, { subject, request }) => requireOther(tx, subject, request.support_email),
    async carryOut(tx, { subject: providerId, request: { support_email: supportEmail } }, { actor }) {
      await changeWithin(tx, { ...dependencies, actor }, { providerId, input: { supportEmail } });
      return { outcome: "The support e-mail is changed.", secret: null };
    },
  };
}

async function requireOther(tx: Transaction, providerId: string, email: string): Promise<void> {
  const { supportEmail } = await requireProvider(tx, providerId);
  if (supportEmail === email) throw new ApprovalRefused("This is already the clinic's support e-mail.");
}
