import { setTimeout as pause } from "node:timers/promises";
import { sandboxEndpoints } from "bff/contract/sandbox-endpoints";
import type { Patient } from "../kit/patients.ts";
import { productUrls, type Tenant } from "./tenant.ts";

const noticesSchema = sandboxEndpoints.readSandboxNotices.success[200];

/** The codes on the patient's telephone, newest first. */
export async function codesOf({ credentials }: Tenant, { phone }: Patient): Promise<string[]> {
  const address = new URL("/sandbox/notices", productUrls().orderApiUrl);
  address.searchParams.set("to", phone);
  const answer = await fetch(address, { headers: { authorization: `Bearer ${credentials.client_secret}` } });
  const { messages } = noticesSchema.parse(await answer.json());
  return messages.flatMap(({ text }) => /#(\d{6})$/.exec(text)?.[1] ?? []);
}

/** Waits for a code after this many others. */
export async function newCode(tenant: Tenant, patient: Patient, before: number): Promise<string> {
  for (;;) {
    const [newest, ...others] = await codesOf(tenant, patient);
    if (newest !== undefined && others.length >= before) return newest;
    await pause(50);
  }
}
