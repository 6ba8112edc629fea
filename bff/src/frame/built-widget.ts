import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PAGE_MARKERS, type WidgetRenderer } from "../contract/widget-page.ts";
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
