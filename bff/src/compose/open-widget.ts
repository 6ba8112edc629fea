import { request } from "undici";
import { readBuiltWidget } from "../checkout/page/built-widget.ts";
import type { WidgetSource } from "../checkout/page/page.ts";
import type { Config } from "../config.ts";

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
