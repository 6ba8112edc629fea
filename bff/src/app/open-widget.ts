import { request } from "undici";
import { readBuiltWidget } from "../frame/built-widget.ts";
import { KEPT_ASSETS, KEPT_EMBED, keepFiles } from "../frame/kept-assets.ts";
import type { WidgetSource } from "../frame/page.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { Logger } from "../platform/logger.ts";
import type { Config } from "./config.ts";

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
}: Pick<Config, "widgetDist" | "widgetDevUrl">): Promise<WidgetSource> {
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
