import express from "express";
import * as z from "zod";
import { readRut } from "../../../src/contract/vocabulary/rut.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import type { Ids } from "../../../src/platform/ids.ts";
import { createFaults, type Faults } from "../../kit/stand-in/faults.ts";

/*
 * Plays Soyio's sandbox for checks with the civil registry on this machine, and its test RUTs. It also knows two
 * document numbers, as the registry does, and checks that stay pending.
 */

/** The sandbox's persons, by RUT. */
const FAILING_RUTS: Readonly<Record<string, string>> = {
  "11111111-1": "auth-076",
  "22222222-2": "auth-074",
  "33333333-3": "auth-075",
};
/** Document numbers that fail for everyone else, with the numbers of the sandbox's registry. */
const FAILING_SERIALS: Readonly<Record<string, string>> = { "100000001": "auth-074", "100000002": "auth-076" };
const MESSAGES: Readonly<Record<string, string>> = {
  "auth-074": "invalid_document_number",
  "auth-075": "government_api_error",
  "auth-076": "document_not_valid",
};

export interface StandInConfig {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly apiKey: string;
  /** How long a check is pending. */
  readonly pendingMs: number;
}

export interface StandIn {
  readonly app: express.Express;
  readonly faults: Faults;
  /** Every authorised request, in order. */
  readonly requests: { readonly method: string; readonly path: string; readonly body: unknown }[];
  /** The checks that it made, and would bill. */
  readonly checks: readonly { readonly id: string }[];
}

const bodySchema = z.strictObject({
  government_check_request: z.strictObject({
    nin: z.string(),
    document_number: z.string().min(1),
    user_reference: z.string().min(1),
  }),
});

interface Made {
  readonly id: string;
  readonly at: number;
  readonly reference: string;
  readonly error: string | null;
}

export function createStandIn({ clock, ids, apiKey, pendingMs }: StandInConfig): StandIn {
  const app = express();
  app.disable("x-powered-by");
  const faults = createFaults();
  const requests: StandIn["requests"] = [];
  const checks: Made[] = [];
  app.use(express.json());
  app.use((request, response, next) => {
    if (request.get("authorization") !== `Bearer ${apiKey}`)
      return void response.status(401).json(problem(401, "authentication_error"));
    requests.push({ method: request.method, path: request.originalUrl, body: request.body });
    next();
  });
  const shown = ({ id, at, reference, error }: Made) => {
    const isPending = clock.now().getTime() - at < pendingMs;
    const failed = error === null ? [] : [{ code: error, type: "document", message: MESSAGES[error] }];
    return {
      government_check_request: {
        id,
        status: isPending ? "validating" : error === null ? "successful" : "failed",
        subject_id: null,
        user_reference: reference,
        validation_errors: isPending ? [] : failed,
        created_at: new Date(at).toISOString(),
      },
    };
  };
  app.post(
    "/api/v1/government_check_requests",
    faults.wrap("create", (request) => {
      const parsed = bodySchema.safeParse(request.body).data?.government_check_request;
      if (parsed === undefined) return { status: 422, body: problem(422, "validation_error") };
      const { nin, document_number: serial, user_reference: reference } = parsed;
      if (readRut(nin) === null || nin.includes(".")) return { status: 422, body: problem(422, "validation_error") };
      const error = FAILING_RUTS[nin] ?? FAILING_SERIALS[serial] ?? null;
      const made = { id: `govcheck_${ids.uuid().replaceAll("-", "")}`, at: clock.now().getTime(), reference, error };
      checks.push(made);
      return { status: 201, body: shown(made) };
    }),
  );
  app.get(
    "/api/v1/government_check_requests/:id",
    faults.wrap("read", ({ params }) => {
      const made = checks.find(({ id }) => id === params.id);
      if (made === undefined) return { status: 404, body: problem(404, "invalid_request_error") };
      return { status: 200, body: shown(made) };
    }),
  );
  return { app, faults, requests, checks };
}

function problem(status: number, type: string): unknown {
  return { type, title: "Refused by the stand-in", status, detail: "Refused by the stand-in." };
}
