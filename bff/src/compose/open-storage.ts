import { join } from "node:path";
import type { Config } from "../config.ts";
import { openFileStorage } from "../gateways/file-storage/file-storage.ts";
import type { FileStorage } from "../gateways/file-storage/port.ts";
import { type OpenDatabase, openDatabase } from "../platform/database/database.ts";
import { createKeyring, type Keyring } from "../platform/keyring.ts";
import { readKeyringFile, readOrMakeKeyringFile } from "../platform/keyring-file.ts";
import type { Logger } from "../platform/logger.ts";

/**
 * Opens the database, the keyring and the files that the configuration names, for the server and for the command line alike.
 * Throws `FolderInUse` when another process holds the embedded database.
 */
export async function openStorage(
  config: Config,
  logger: Logger,
): Promise<{ database: OpenDatabase; keyring: Keyring; files: FileStorage }> {
  const { keyringFile, dataDir, environment } = config;
  const database = await openDatabase(
    { url: config.databaseUrl, connectionsMax: config.databaseConnectionsMax },
    logger,
  );
  try {
    const keys =
      keyringFile === null
        ? await readOrMakeKeyringFile(join(dataDir, "keyring.json"))
        : await readKeyringFile(keyringFile);
    const keyring = createKeyring({ keys, environment });
    return { database, keyring, files: await openFileStorage({ location: config.files, keyring }) };
  } catch (error) {
    await database.close();
    throw error;
  }
}
