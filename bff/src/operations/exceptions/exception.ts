import { createHash } from "node:crypto";
import type { Exception } from "../../platform/exceptions.ts";
import { type ExceptionKind, isExceptionKind } from "./exception-kinds.ts";

/** An exception as the operators' list has it. */
export type ListedException = Exception<ExceptionKind>;

/** What an exception is called by, whatever is known of it. */
export type ExceptionName = Pick<ListedException, "providerId" | "kind" | "subject">;

/**
 * How an operator names an exception: `collection_failed:<provider>:<order>@<as it was>`. The end changes with what is known of
 * it, so that nothing is done about what has changed since it was listed.
 */
export function exceptionId(exception: ListedException): string {
  const { kind, providerId, subject } = exception;
  return `${kind}:${providerId}:${subject}@${versionOf(exception)}`;
}

/** A short name for what is known of an exception. */
export function versionOf({ since, facts }: Pick<Exception, "since" | "facts">): string {
  const known = JSON.stringify([since.getTime(), Object.entries(facts).toSorted(([a], [b]) => a.localeCompare(b))]);
  return createHash("sha256").update(known).digest("hex").slice(0, 8);
}

/** Reads what an operator typed; `null` for what names no exception. */
export function readExceptionId(text: string): (ExceptionName & { readonly version: string }) | null {
  const [, name = "", version = ""] = /^(.+)@([0-9a-f]{8})$/.exec(text) ?? [];
  const [kind = "", providerId = "", ...subject] = name.split(":");
  const isNamed = isExceptionKind(kind) && /^[0-9a-f-]{36}$/.test(providerId) && subject.length > 0;
  return isNamed ? { kind, providerId, subject: subject.join(":"), version } : null;
}
