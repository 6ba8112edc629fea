/** This folder holds the operators' list of exceptions and the resolutions that they can choose. */

import { createHash } from "node:crypto";
import * as z from "zod";
import type { Exception } from "../../platform/exceptions.ts";
import { type ExceptionKind, isExceptionKind } from "./exception-kinds.ts";

/** An exception in the operators' list. */
export interface ListedException extends Exception<ExceptionKind> {
  /** How long ago it arose, by the provider's clock. */
  readonly ageSeconds: number;
}

/** The name of an exception; it does not depend on the exception's facts. */
export type ExceptionName = Pick<ListedException, "providerId" | "kind" | "subject">;

/**
 * The id by which an operator names an exception: `collection_failed:<provider>:<order>@<version>`. The version changes
 * with the exception's facts, so that an operator cannot resolve an exception that has changed since it was listed.
 */
export function exceptionId(exception: Exception<ExceptionKind>): string {
  const { kind, providerId, subject } = exception;
  return `${kind}:${providerId}:${subject}@${versionOf(exception)}`;
}

/** A short hash of an exception's facts. */
export function versionOf({ since, facts }: Pick<Exception, "since" | "facts">): string {
  const known = JSON.stringify([since.getTime(), Object.entries(facts).toSorted(([a], [b]) => a.localeCompare(b))]);
  return createHash("sha256").update(known).digest("hex").slice(0, 8);
}

/** Parses an id that an operator typed; `null` if it is not an exception's id. */
export function readExceptionId(text: string): (ExceptionName & { readonly version: string }) | null {
  const [, name = "", version = ""] = /^(.+)@([0-9a-f]{8})$/.exec(text) ?? [];
  const [kind = "", providerId = "", ...subject] = name.split(":");
  const isNamed = isExceptionKind(kind) && z.uuid().safeParse(providerId).success && subject.length > 0;
  return isNamed ? { kind, providerId, subject: subject.join(":"), version } : null;
}
