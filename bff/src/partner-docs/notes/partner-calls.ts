import { EXPENSE_FILES_MAX, EXPENSE_FILES_MIN, FREE_TRIAL_EXPENSES } from "../../contract/terms.ts";
import { expenseFields } from "../expense-form.ts";
import type { FieldNote, SchemaNotes } from "./schema-note.ts";

const submittedFields = Object.fromEntries(
  Object.entries(expenseFields).map(([name, { description = "", ...wireForm }]): [string, FieldNote] => [
    name,
    { description, wireForm },
  ]),
);
const subscriptionFields = {
  plan: "Name of the plan.",
  status: "Whether the plan is active.",
  paid_by: "Who pays for the plan.",
};

/** Calls of a partner's backend other than orders and webhooks. */
export const partnerCallNotes: SchemaNotes = {
  "submitExpense query": { fields: { rut: "RUT of the patient. They must be registered." } },
  SubmitExpenseByUrlRequest: {
    description: "A receipt whose files are at public URLs.",
    fields: {
      urls: {
        description: "Public HTTPS URLs of the files. The first is the receipt, the others are supporting documents.",
        wireForm: {
          type: "array",
          items: { type: "string", format: "uri" },
          minItems: EXPENSE_FILES_MIN,
          maxItems: EXPENSE_FILES_MAX,
        },
        required: true,
      },
      ...submittedFields,
    },
  },
  ExpenseResponse: {
    description: "The submitted receipt.",
    fields: {
      id: "Id of the expense.",
      aapd: "Whether the expense belongs to an order, so that its claim is filed.",
      skip_pay_order_id: "The `hash` of its order; null if it belongs to none.",
      created: "`false` if the order had its expense already. This response then describes that one.",
      processed_files: "The files that were accepted.",
      submission_status:
        "`waiting_order`: filed when the order is paid. `not_enqueued`: no claim follows for now. A document is missing (`missing_document_types`), the expense names no order, or the order was cancelled or refunded in full.",
      unread_fields:
        "Fields that could not be parsed. They are stored as sent. To correct them, submit the same order's expense again, receipt included, before its claim is filed.",
      missing_document_types:
        "Documents that the claim still needs. Submit the same order's expense again with them before the claim is filed. `unlocked_receipt`: the receipt is a PDF with a password; send one without. The insurer may ask for more later: see `claim` of the order. More values may be added: ignore those that you do not know.",
    },
  },
  ExpenseStatus: { description: "State of the expense and its claim." },
  FileType: { description: "Media type, detected from the content." },
  MissingDocument: { description: "A document that a claim still needs. More may be added." },
  OptionalExpenseField: { description: "A field that never causes a refusal." },
  "isUserSubscribed query": { fields: { rut: "RUT to look up." } },
  SubscriptionStatus: {
    description: "Whether a RUT is subscribed.",
    fields: {
      is_subscribed: `Whether the RUT has an active plan or a valid free trial (fewer than ${FREE_TRIAL_EXPENSES} expenses sent).`,
      is_free_trial: "Whether it is subscribed by the free trial.",
    },
  },
  SetSubscriptionRequest: {
    description: "The plan that replaces the patient's current one.",
    fields: { ...subscriptionFields, valid_until: "When the plan ends (ISO 8601, UTC). Null or absent: never." },
  },
  SetSubscriptionResponse: {
    description: "The patient's plan.",
    fields: {
      ...subscriptionFields,
      rut: "RUT of the patient, as `12345678-5`.",
      valid_until: "When the plan ends (ISO 8601, UTC); null if it does not end.",
    },
  },
  UpsertCentersRequest: {
    description: "Centres to create or change. All succeed or none.",
    fields: { centers: "The centres, each RUT once." },
  },
  Center: {
    description: "A sub-clinic of a meta-provider.",
    fields: {
      rut: "RUT of the centre. It identifies the centre.",
      name: "Name that patients see.",
      email: "E-mail address of the centre.",
      bank_account: "Where payouts go. Without it, the recorded account stays.",
    },
  },
  UpsertCentersResponse: {
    description: "The centres after the call.",
    fields: {
      centers: "The centres, in the order of the request.",
      "centers.rut": "RUT of the centre, as `12345678-5`.",
      "centers.id": "Id of the centre.",
      "centers.created": "Whether this call created it.",
    },
  },
  ProcessedFile: {
    description: "A stored file of an expense.",
    fields: { name: "File name.", bytes: "Size in bytes." },
  },
  ListCentersQuery: {
    fields: { after: "The `next` of the previous page.", limit: "Centres on a page, 1 to 100. By default 100." },
  },
  RegisteredCenter: {
    description: "A registered centre. Its bank account is never returned.",
    fields: {
      id: "Id of the centre.",
      rut: "RUT of the centre, as `12345678-5`.",
      name: "Name that patients see.",
      email: "E-mail address of the centre.",
      has_bank_account: "Whether a bank account for payouts is registered.",
      created_at: "When it was registered. ISO 8601, UTC.",
      updated_at: "When it was last changed. ISO 8601, UTC.",
    },
  },
  RegisteredCenters: {
    description: "One page of your centres.",
    fields: { centers: "The centres, by RUT.", next: "The `after` of the next page; null on the last one." },
  },
  ListExpensesQuery: {
    fields: {
      skip_pay_order_id: "Only the expense of this order, by its `hash`.",
      after: "The `next` of the previous page.",
      limit: "Expenses on a page, 1 to 100. By default 100.",
    },
  },
  StoredExpense: {
    description: "An expense as it is now.",
    fields: {
      id: "Id of the expense.",
      aapd: "Whether the expense belongs to an order, so that its claim is filed.",
      skip_pay_order_id: "The `hash` of its order; null if it belongs to none.",
      processed_files: "The files that are stored, the receipt first.",
      missing_document_types:
        "What is missing, by our rules or the insurer's answer. Submit the order's expense again with it.",
      unread_fields: "Fields that could not be parsed.",
      created_at: "When it was submitted. ISO 8601, UTC.",
      updated_at: "When it was last changed. ISO 8601, UTC.",
    },
  },
  StoredExpenses: {
    description: "One page of your expenses.",
    fields: { expenses: "The expenses, newest first.", next: "The `after` of the next page; null on the last one." },
  },
  Profile: {
    description: "Who the public key belongs to.",
    fields: {
      provider: "The provider.",
      "provider.name": "Name of the provider.",
      "provider.rut": "RUT of the provider, as `12345678-5`.",
      environment: "The environment of these credentials.",
      scopes: "Scopes that the provider has.",
    },
  },
};
