/** This folder holds what operators are shown, in the command line and on the console's pages. */

import { exceptionId, type ListedException } from "../exceptions/exception.ts";
import { EXCEPTION_KINDS } from "../exceptions/exception-kinds.ts";

/** An exception with its name, and how it can be resolved. */
export function exceptionView(exception: ListedException) {
  const { kind, providerId, subject, orderId, since, facts } = exception;
  return {
    exception: exceptionId(exception),
    kind,
    provider_id: providerId,
    subject,
    order_hash: orderId,
    since: since.toISOString(),
    facts,
    resolutions: EXCEPTION_KINDS[kind].resolutions,
  };
}
