import { call, type DevCall } from "./call.ts";
import type { SandboxKeys } from "./keys.ts";
import { readMail } from "./read-mail.ts";
import { moveClock } from "./sandbox-clock.ts";

/* What a patient does through the links in their e-mails, without a browser. */

interface MailedPatient {
  readonly rut: string;
  readonly email: string;
}

const LINK = /\bwidget_token=([\w-]+)/;
const CODE = /^(\d{6})$/m;
const TRIES_MAX = 60;

/** Pays the second charge now, by the link in the mail about the first. */
export async function payEarly(keys: SandboxKeys, { email }: MailedPatient): Promise<void> {
  const link = await newest(keys, email, { subject: /^Tu pago en /, part: LINK }, 0);
  const opened = await answerCode(keys, email, link);
  await post(keys, "/api/spot/patient/early_payment", opened, "status");
}

/** Withdraws the authorisation of the second charge, by the link to the patient's data. */
export async function revokeMandate(keys: SandboxKeys, { rut, email }: MailedPatient): Promise<void> {
  const mailed = { subject: /^Tus datos$/, part: LINK };
  const before = (await parts(keys, email, mailed)).length;
  await post(keys, "/api/spot/patient/data_link", { rut }, "status");
  const opened = await answerCode(keys, email, await newest(keys, email, mailed, before));
  await post(keys, "/api/spot/patient/consents/withdraw", { ...opened, purpose: "later_charge" }, "withdrawn");
}

async function answerCode(keys: SandboxKeys, email: string, widgetToken: string) {
  const link = { widget_token: widgetToken };
  const mailed = { subject: /código/, part: CODE };
  const before = (await parts(keys, email, mailed)).length;
  await post(keys, "/api/spot/patient/code", link, "sent_to");
  const code = await newest(keys, email, mailed, before);
  const path = "/api/spot/patient/code/verify";
  const { access } = await post<{ readonly access: string }>(keys, path, { ...link, code }, "access");
  return { ...link, access };
}

interface MailedPart {
  readonly subject: RegExp;
  readonly part: RegExp;
}

/** That part of each such e-mail, newest first. */
async function parts(keys: SandboxKeys, to: string, { subject, part }: MailedPart): Promise<string[]> {
  const { notices } = await readMail(keys, { to });
  return notices.filter((one) => subject.test(one.subject)).flatMap(({ text }) => part.exec(text)?.[1] ?? []);
}

/** Waits for more than `before` such e-mails. Each second of the clock sends the messages that are due. */
async function newest(keys: SandboxKeys, to: string, mailed: MailedPart, before: number): Promise<string> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const [first, ...others] = await parts(keys, to, mailed);
    if (first !== undefined && others.length >= before) return first;
    await moveClock(keys, "1s");
  }
  throw new Error(`No e-mail with the subject ${mailed.subject.source} was sent to ${to}.`);
}

function post<Answer extends object>(
  { addresses, credentials }: SandboxKeys,
  path: string,
  body: object,
  has: DevCall<Answer>["answerHas"][number],
): Promise<Answer> {
  const url = new URL(path, addresses.widget_host);
  url.searchParams.set("public_key", credentials.public_key);
  return call<Answer>({ method: "POST", url, body, answerHas: [has] });
}
