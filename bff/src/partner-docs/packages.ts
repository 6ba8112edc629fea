import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The packages for partners, each with its use. */
export const PACKAGES = [
  {
    name: "@aapd/server",
    use: {
      en: "your back end on Node: client, webhooks, signed receipts, and `aapd-dev`",
      es: "tu backend en Node: cliente, webhooks, comprobantes firmados y `aapd-dev`",
    },
  },
  {
    name: "@aapd/embed",
    use: {
      en: "your page: loads the kit by its hash, with types for TypeScript, JSX, Vue and HTML",
      es: "tu página: carga el kit por su hash, con tipos para TypeScript, JSX, Vue y HTML",
    },
  },
  {
    name: "@aapd/react",
    use: { en: "your page in React, with `@aapd/embed`", es: "tu página en React, junto con `@aapd/embed`" },
  },
  {
    name: "@aapd/e2e",
    use: {
      en: "your browser tests: page objects and fixtures for Playwright, with every test value",
      es: "tus pruebas de navegador: page objects y fixtures para Playwright, con cada valor de prueba",
    },
  },
] as const;

/** The released version of the packages. A test compares it with theirs. */
export const PACKAGES_VERSION = "0.4.0";

/** The packages that belong to this build, and so to its guide. */
export interface ServedPackages {
  readonly version: string;
  /** They differ from every released version; their addresses change with each build. */
  readonly isPreview: boolean;
}

export const RELEASED_PACKAGES: ServedPackages = { version: PACKAGES_VERSION, isPreview: false };

/**
 * The packages of a build of the widget, from its `packages/next`, where the build puts its own. `null`, or a build
 * without packages: the released ones.
 */
export function readServedPackages(packagesFolder: string | null): ServedPackages {
  const folder = packagesFolder === null ? null : join(packagesFolder, "next");
  const files = folder === null || !existsSync(folder) ? [] : readdirSync(folder);
  const [version] = files.flatMap((file) => /^aapd-server-(.+)\.tgz$/.exec(file)?.[1] ?? []);
  if (version === undefined || version === PACKAGES_VERSION) return RELEASED_PACKAGES;
  return { version, isPreview: true };
}

/** The address from which a package manager installs a package. */
export function tarballUrl(name: string, widgetHostUrl: string, { version, isPreview }: ServedPackages): string {
  const file = `${name.slice(1).replace("/", "-")}-${version}.tgz`;
  return `${widgetHostUrl}/packages/${isPreview ? "next/" : ""}${file}`;
}
