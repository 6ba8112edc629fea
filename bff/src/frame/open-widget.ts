import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { request } from "undici";
import { PAGE_MARKERS, type WidgetRenderer } from "../contract/widget-page.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { Logger } from "../platform/logger.ts";
import { KEPT_ASSETS, KEPT_EMBED, keepFiles } from "./kept-assets.ts";
import { type InlineHashes, inlineHashes } from "./page-policy.ts";

/** The built widget, from which pages are filled. */
export interface BuiltWidget {
  /** The styles of later screens come last, so that the first paint does not wait for them. */
  readonly template: string;
  /** All styles are in the head. */
  readonly styledTemplate: string;
  readonly inline: InlineHashes;
  readonly renderer: WidgetRenderer;
  readonly assetsFolder: string;
  readonly embedFolder: string;
  /** The packages for partners; a build of the widget alone has none. */
  readonly packagesFolder: string;
}

/** Thrown when the folder has no complete build of the widget. The message is for the operator. */
export class WidgetNotBuilt extends Error {
  override readonly name = "WidgetNotBuilt";
  readonly code = "widget_not_built";
}

/** Reads the build once. Throws `WidgetNotBuilt` if something is missing or does not match this program. */
export async function readBuiltWidget(folder: string): Promise<BuiltWidget> {
  const page = join(folder, "app/index.html");
  const rendererFile = join(folder, "server/render.js");
  for (const file of [page, rendererFile]) {
    if (!existsSync(file)) throw new WidgetNotBuilt(`${file} is missing: build the widget, or set WIDGET_DIST.`);
  }
  const template = await readFile(page, "utf8");
  for (const marker of Object.values(PAGE_MARKERS)) {
    if (!template.includes(marker)) throw new WidgetNotBuilt(`${page} lacks the marker ${marker}.`);
  }
  const renderer: unknown = await import(pathToFileURL(rendererFile).href);
  if (!isRenderer(renderer)) throw new WidgetNotBuilt(`${rendererFile} does not export renderApp.`);
  return {
    template: template.replace(PAGE_MARKERS.laterStyles, ""),
    styledTemplate: withAllStylesAhead(template),
    inline: inlineHashes(template),
    renderer,
    assetsFolder: join(folder, "app/assets"),
    embedFolder: join(folder, "embed"),
    packagesFolder: join(folder, "packages"),
  };
}

/** Moves all styles to the head, so that a page that starts on a later screen is never painted without its styles. */
function withAllStylesAhead(template: string): string {
  const [marked = "", later = ""] = LATER_STYLES.exec(template) ?? [];
  return template.replace(marked, "").replace("</head>", () => `${later}</head>`);
}

const LATER_STYLES = new RegExp(`${PAGE_MARKERS.laterStyles}(<style>[\\s\\S]*?</style>)?`);

function isRenderer(module: unknown): module is WidgetRenderer {
  return (
    typeof module === "object" && module !== null && "renderApp" in module && typeof module.renderApp === "function"
  );
}

/** The source of pages: the built widget, or Vite's development server. */
export type WidgetSource =
  | { readonly kind: "built"; readonly widget: BuiltWidget }
  | { readonly kind: "development"; readonly url: string; readonly readPage: (path: string) => Promise<string> };

/** Stores the build's files where every process finds them. If that fails, pages are still served. */
export async function keepWidget(
  source: WidgetSource,
  { files, logger }: { readonly files: FileStorage; readonly logger: Logger },
): Promise<void> {
  if (source.kind === "development") return;
  const { assetsFolder, embedFolder } = source.widget;
  try {
    await keepFiles(files, KEPT_ASSETS, assetsFolder);
    await keepFiles(files, KEPT_EMBED, embedFolder);
  } catch (error) {
    logger.warn("widget.files_not_kept", { error });
  }
}

/** Opens the source of the widget's pages: the build, or Vite's development server. Throws `WidgetNotBuilt`. */
export async function openWidget({
  widgetDist,
  widgetDevUrl,
}: {
  readonly widgetDist: string;
  readonly widgetDevUrl: string | null;
}): Promise<WidgetSource> {
  if (widgetDevUrl === null) return { kind: "built", widget: await readBuiltWidget(widgetDist) };
  return {
    kind: "development",
    url: widgetDevUrl,
    async readPage(path) {
      const answer = await request(new URL(path, widgetDevUrl), { headers: { accept: "text/html" } });
      return answer.body.text();
    },
  };
}
