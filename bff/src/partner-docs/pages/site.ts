import type { KeptRelease } from "../kept-differences.ts";
import type { Deployment } from "../openapi.ts";
import type { OpenApiDocument, Operation } from "../openapi-document.ts";
import type { ServedPackages } from "../packages.ts";
import type { Samples } from "../samples.ts";

/** A test value of the sandbox and its effect. */
export interface TestValue {
  readonly causes: string;
}

/** The sandbox's test values, from its catalogue. */
export interface TestValues {
  readonly cards: readonly (TestValue & { readonly number: string; readonly brand: string; readonly kind: string })[];
  readonly serials: readonly (TestValue & { readonly serial: string })[];
  readonly people: readonly (TestValue & { readonly rut: string })[];
  readonly addresses: readonly (TestValue & { readonly email: string })[];
  /** In E.164. */
  readonly phoneNumbers: readonly (TestValue & { readonly number: string })[];
  readonly bankAccounts: readonly (TestValue & { readonly number: string })[];
}

/** The data from which all pages are made. */
export interface Site {
  readonly deployment: Deployment;
  readonly document: OpenApiDocument;
  /** Null if there is no sandbox. */
  readonly testValues: TestValues | null;
  readonly samples: Samples;
  readonly packages: ServedPackages;
  /** Released changes of the interface, newest first. */
  readonly releases: readonly KeptRelease[];
}

/** An operation with its method and path. */
export interface CalledOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Every operation of the document, in its order. */
export function operationsOf(document: OpenApiDocument): CalledOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The operations of each tag, in the document's order. */
export function operationsByTag(
  document: OpenApiDocument,
): { tag: OpenApiDocument["tags"][number]; operations: CalledOperation[] }[] {
  const operations = operationsOf(document);
  return document.tags.map((tag) => ({
    tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

export function referencePath({ operation }: Pick<CalledOperation, "operation">): string {
  return `/docs/reference/${operation.operationId}`;
}
