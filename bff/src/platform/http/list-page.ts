import { ApiError } from "./api-error.ts";
import type { RequestLimit } from "./rate-limit.ts";

/** The limit of a list that a provider reads page by page. `name` names the list. */
export function listLimit(name: string): RequestLimit {
  return { name, key: "", isPerProvider: true, requestsMax: 120, windowSeconds: 60 };
}

/**
 * A page of at most `limit` entries. `found` has one entry more if another page follows; `next` is then the id after
 * which that page starts.
 */
export function pageOf<Entry extends { readonly id: string }>(
  found: readonly Entry[],
  limit: number,
): { readonly entries: Entry[]; readonly next: Entry["id"] | null } {
  const entries = found.slice(0, limit);
  return { entries, next: found.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/** The 422 for a page of a list whose `after` does not exist. */
export function unknownPlace(): ApiError {
  return new ApiError("validation_error", { errors: [{ path: "after", message: "is not in this list" }] });
}
