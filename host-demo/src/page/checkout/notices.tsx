import { useEffect, useState } from "react";
import type { Purchase } from "../../backend/purchase.ts";
import type { Notice, PatientMessages, PhoneMessage } from "../../backend/sandbox.ts";
import { mailAddress, readNotices, wordsOf } from "../clinic-api.ts";
import { linksInText } from "./links-in-text.ts";
import styles from "./notices.module.css";

const POLL_MS = 2_500;

const MOMENT = new Intl.DateTimeFormat("es-CL", {
  timeZone: "America/Santiago",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** The mails and messages to the patient, newest first. */
export function Notices({ purchase }: { readonly purchase: Purchase | null }) {
  const [notices, setNotices] = useState<PatientMessages | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const purchaseId = purchase?.id;

  useEffect(() => {
    if (purchaseId === undefined) return undefined;
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      try {
        const found = await readNotices(purchaseId);
        if (!isGone) setNotices(found);
        setFailure(null);
      } catch (error) {
        setFailure(wordsOf(error));
      }
      if (!isGone) timer = setTimeout(() => void read(), POLL_MS);
    };
    void read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [purchaseId]);

  if (failure !== null) return <p className={styles.none}>{failure}</p>;
  if (notices === null || purchaseId === undefined) return null;
  const sent = inOrder(notices);
  if (sent.length === 0) return <p className={styles.none}>El paciente todavía no ha recibido ningún aviso.</p>;
  return (
    <ul className={styles.notices}>
      {sent.map((notice) => (
        <li key={notice.id}>
          {"subject" in notice ? <Mail mail={notice} purchaseId={purchaseId} /> : <Message message={notice} />}
        </li>
      ))}
    </ul>
  );
}

function inOrder({ mails, messages }: PatientMessages): (Notice | PhoneMessage)[] {
  return [...mails, ...messages].sort((a, b) => b.sentAt.localeCompare(a.sentAt));
}

function Mail({ mail, purchaseId }: { readonly mail: Notice; readonly purchaseId: string }) {
  const { id, sentAt, subject, text } = mail;
  return (
    <details data-testid="notice" data-subject={subject}>
      <summary>
        <strong>{subject}</strong>
        <Moment at={sentAt} />
      </summary>
      <NoticeText text={text} />
      <a className={styles.mail} href={mailAddress(purchaseId, id)} target="_blank" rel="noopener noreferrer">
        Ver el correo como llega
      </a>
    </details>
  );
}

/** A message as a telephone shows it, without links. */
function Message({ message: { sentAt, text } }: { readonly message: PhoneMessage }) {
  return (
    <div className={styles.message} data-testid="message">
      <div className={styles.messageHead}>
        <span>Mensaje al celular</span>
        <Moment at={sentAt} />
      </div>
      <p className={styles.bubble}>{text}</p>
    </div>
  );
}

function Moment({ at }: { readonly at: string }) {
  return <time dateTime={at}>{MOMENT.format(new Date(at))}</time>;
}

function NoticeText({ text }: { readonly text: string }) {
  return (
    <p className={styles.text}>
      {linksInText(text).map((part) =>
        part.isLink ? (
          <a key={part.position} href={part.text} target="_blank" rel="noopener noreferrer">
            {part.text}
          </a>
        ) : (
          part.text
        ),
      )}
    </p>
  );
}
