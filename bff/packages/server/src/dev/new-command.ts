import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize, sep } from "node:path";
import { Argument, type Command } from "commander";
import { call } from "./call.ts";
import { apiOption, collect, command, type Json, type Surroundings } from "./command-parts.ts";
import { getKeys } from "./get-keys.ts";
import { dotenvOf, writeKeys } from "./keys.ts";
import { CommandRefused, say } from "./output.ts";

const PROJECTS = ["express", "next", "react-vite", "flask", "php"];
const DEFAULT_ORIGINS = ["http://127.0.0.1:3000", "http://localhost:3000"];

export function newCommand({ folder, ...output }: Surroundings): Command {
  return command("new", "write a small project that pays in the sandbox, with a test and its own keys", "new express")
    .addArgument(new Argument("<project>", "what it is written in").choices(PROJECTS))
    .argument("[folder]", "default: aapd-<project>")
    .addOption(apiOption())
    .option("--origin <origin>", "another origin of its page; may be repeated", collect, [])
    .action(async (name: string, given: string | undefined, options: Json & { api: string; origin: string[] }) => {
      const place = given ?? `aapd-${name}`;
      const target = join(folder, place);
      await requireEmpty(target, place);
      const files = await readProject(options.api, name);
      const keys = await getKeys(options.api, { origins: [...DEFAULT_ORIGINS, ...options.origin] });
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(target, path)), { recursive: true });
        await writeFile(join(target, path), text);
      }
      await writeKeys(target, keys);
      await writeFile(join(target, ".env"), dotenvOf(keys), { mode: 0o600 });
      const { ends_at } = keys;
      say(
        output,
        {
          json: { folder: place, files: Object.keys(files), ends_at },
          lines: [`The project is in ${place}. Its keys live until ${ends_at}.`, `Next: ${join(place, "README.md")}`],
        },
        options.json === true,
      );
    });
}

async function requireEmpty(target: string, place: string): Promise<void> {
  const present = await readdir(target).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  if (present.length > 0) throw new CommandRefused(`${place} is not empty. Name another folder.`);
}

/** The files of a project as the documentation has them. */
async function readProject(api: string, name: string): Promise<Readonly<Record<string, string>>> {
  const { files } = await call<{ readonly files: Readonly<Record<string, string>> }>({
    method: "GET",
    url: new URL(`/docs/projects/${name}.json`, api),
    answerHas: ["files"],
  });
  const outside = Object.keys(files).find((path) => /^(?:\.\.|\/|[a-z]:)/i.test(normalize(path).replaceAll(sep, "/")));
  if (outside !== undefined) throw new CommandRefused(`${api} names a file outside of the project: ${outside}`);
  return files;
}
