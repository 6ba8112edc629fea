import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../contract/endpoint.ts";
import type { ExpenseResponse } from "../contract/expenses.ts";
import { spotEndpoints } from "../contract/spot-endpoints.ts";
import { RECEIPTS_OF_PATIENT_PER_HOUR_MAX } from "../contract/terms.ts";
import { personRutSchema } from "../contract/vocabulary/rut.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { loadingCallersPatient } from "../patients/patients.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { GuardedFetch } from "../platform/http/guarded-fetch.ts";
import {
  type AnsweringOnce,
  answerReceivedOnce,
  type IdempotencyDependencies,
  readIdempotencyKey,
} from "../platform/http/idempotency.ts";
import { listLimit } from "../platform/http/list-page.ts";
import {
  defineRoute,
  type Loading,
  NOTHING_NAMED,
  type ReceivedRequest,
  type Route,
  type RouteLimit,
} from "../platform/http/route.ts";
import type { Environment, Principal } from "../platform/provider.ts";
import { receiveForm } from "./expenses/receive-form.ts";
import { readSubmissionByUrl, receiveUrls } from "./expenses/receive-urls.ts";
import { orderOfSubmission, type Submission, type Submitter, submitExpense } from "./expenses/submit-expense.ts";
import { listExpenses, loadOwnExpense, showExpense } from "./list-expenses.ts";
import type { UploadDependencies } from "./upload.ts";

export interface ExpenseRoutesDependencies extends UploadDependencies, IdempotencyDependencies {
  readonly guardedFetch: GuardedFetch;
  readonly environment: Environment;
}

/** Expense submission. */
export function expenseRoutes(dependencies: ExpenseRoutesDependencies): Route[] {
  const load = patientIn(dependencies.environment);
  return [
    defineRoute(spotEndpoints.submitExpense, {
      load,
      limits: ({ query }) => [submissionsOf(query.rut)],
      answersRepeats: true,
      async handle({ principal, resource, now, request }) {
        const submitter = submitterOf(principal, resource, now);
        return answerReceivedOnce(
          dependencies,
          keyed(spotEndpoints.submitExpense, request, submitter),
          async (once) => {
            const receive = async (nextName: () => string) => {
              const submission = await receiveForm(request, dependencies.storage, nextName);
              await once.begin(contentOf(submitter, submission));
              return submission;
            };
            const body = await submitExpense(dependencies, submitter, receive, keepAnswer(once));
            return { status: 200, body };
          },
        );
      },
    }),
    defineRoute(spotEndpoints.submitExpenseByUrl, {
      load,
      limits: ({ query }) => [submissionsOf(query.rut)],
      answersRepeats: true,
      async handle({ principal, resource, now, body: sent, request }) {
        const submitter = submitterOf(principal, resource, now);
        const { fields, urls } = readSubmissionByUrl(sent);
        return answerReceivedOnce(
          dependencies,
          keyed(spotEndpoints.submitExpenseByUrl, request, submitter),
          async (once) => {
            // A repeat fetches nothing: by then, the URLs may have expired.
            await once.begin(JSON.stringify([submitter.beneficiary.rut, sent]));
            // The order is checked first, so that a submission for a wrong order fetches nothing.
            await orderOfSubmission(dependencies.db, submitter, fields.orderId);
            const receive = async (nextName: () => string) => ({
              fields,
              files: await receiveUrls(dependencies, urls, nextName),
            });
            const body = await submitExpense(dependencies, submitter, receive, keepAnswer(once));
            return { status: 200, body };
          },
        );
      },
    }),
    ...readRoutes(dependencies),
  ];
}

function readRoutes({ db }: Pick<ExpenseRoutesDependencies, "db">): Route[] {
  return [
    defineRoute(spotEndpoints.listExpenses, {
      limits: () => [listLimit("expenses.list")],
      async handle({ principal: { provider }, query }) {
        return { status: 200, body: await listExpenses(db, provider.id, query) };
      },
    }),
    defineRoute(spotEndpoints.readExpense, {
      load: ({ params }) => loadOwnExpense(params.id ?? ""),
      async handle({ resource: expense }) {
        return { status: 200, body: await showExpense(db, expense) };
      },
    }),
  ];
}

/**
 * The patient in the query. 404 if there is none; reads nothing if the RUT is malformed, because validation rejects the
 * query anyway.
 */
function patientIn(environment: Environment): (received: ReceivedRequest) => Loading<Beneficiary | null> {
  return ({ request }) => {
    const rut = personRutSchema.safeParse(request.query.rut);
    return rut.success ? loadingCallersPatient(rut.data, environment) : NOTHING_NAMED;
  };
}

function keyed({ method, path }: Endpoint, { headers }: IncomingMessage, { providerId }: Submitter) {
  return { providerId, method, path, key: readIdempotencyKey(headers["idempotency-key"]) };
}

function keepAnswer(once: AnsweringOnce) {
  return (tx: Transaction, body: ExpenseResponse) => once.keep(tx, { status: 200, body });
}

/** Identifies a form by its patient, fields and files: each repeat of a form has different bytes between its parts. */
function contentOf({ beneficiary }: Submitter, { fields, files }: Submission): string {
  return JSON.stringify([beneficiary.rut, fields, files.map(({ name, sha256 }) => [name, sha256])]);
}

function submitterOf(principal: Principal, beneficiary: Beneficiary | null, now: Date): Submitter {
  if (beneficiary === null) throw new ApiError("beneficiary_not_found");
  return { providerId: principal.provider.id, beneficiary, now };
}

/** High enough for a clinic that retries, and low enough to stop flooding of a patient's record. */
function submissionsOf(rut: string): RouteLimit {
  return {
    name: "expenses.rut",
    key: rut,
    isPerProvider: true,
    requestsMax: RECEIPTS_OF_PATIENT_PER_HOUR_MAX,
    windowSeconds: 3_600,
  };
}
