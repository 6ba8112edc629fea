import type { IncomingMessage } from "node:http";
import { EXPENSE_FILES_MAX } from "../../contract/terms.ts";
import type { FileStorage } from "../../gateways/file-storage.ts";
import { createFieldReader } from "./expense-fields.ts";
import { type FormLimits, fieldRefusal, readForm } from "./read-form.ts";
import { type ReceivedFile, receiveFile } from "./receive-file.ts";
import type { Submission } from "./submit-expense.ts";

/** The limits of an expense, and the most that a form within these limits can contain. */
export const EXPENSE_FORM_LIMITS: FormLimits = {
  filesMax: EXPENSE_FILES_MAX,
  fieldsMax: 32,
  fieldBytesMax: 4_096,
  timeoutMs: 120_000,
};

/** PHP and others write a repeated field with brackets. */
const FILES_FIELD = /^uploaded_files(?:\[\d*\])?$/;

/** Receives an expense as a `multipart/form-data` request. Throws `ApiError`. */
export async function receiveForm(
  request: IncomingMessage,
  storage: FileStorage,
  nextName: () => string,
): Promise<Submission> {
  const reader = createFieldReader();
  const files: ReceivedFile[] = [];
  await readForm(
    request,
    {
      isFile: (name) => FILES_FIELD.test(name),
      onField(name, value, isCut) {
        const issue = isCut ? reader.leave(name, value) : reader.take(name, value);
        if (issue !== null) throw fieldRefusal(issue.path, issue.message);
      },
      async onFile(field, name, content) {
        if (!FILES_FIELD.test(field)) throw fieldRefusal("uploaded_files", "files must be sent in this field");
        const position = files.length + 1;
        files.push(await receiveFile(storage, { storageName: nextName(), name, position, content }));
      },
    },
    EXPENSE_FORM_LIMITS,
  );
  return { fields: reader.fields(), files };
}
