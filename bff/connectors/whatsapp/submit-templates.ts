import { listTemplates } from "./templates.ts";
import type { WhatsappApi } from "./whatsapp-api.ts";

export interface SubmittedTemplate {
  readonly name: string;
  readonly language: string;
  /** Meta's, such as APPROVED, PENDING or REJECTED; `refused` if Meta does not take it. */
  readonly status: string;
}

/** Submits the templates that Meta does not know yet. Returns the status of each. */
export async function submitTemplates(api: WhatsappApi): Promise<readonly SubmittedTemplate[]> {
  const known = await api.listTemplates();
  const submitted: SubmittedTemplate[] = [];
  for (const template of listTemplates()) {
    const { name, language } = template;
    const same = known.find((each) => each.name === name && each.language === language);
    if (same !== undefined) {
      submitted.push({ name, language, status: same.status });
      continue;
    }
    const created = await api.createTemplate(template);
    const status = created.is === "created" ? created.status : `refused (${created.code})`;
    submitted.push({ name, language, status });
  }
  return submitted;
}
