import { type ReactNode, useEffect, useRef } from "react";
import { Notice } from "../../design/notice.tsx";
import type { ProblemWords } from "../../words/words.ts";

export interface ArrivingNoticeProps {
  /** Null while there is nothing to report. */
  readonly words: ProblemWords | null;
  readonly tone?: "danger" | "success";
  readonly children?: ReactNode;
}

/** The result of the last press. It takes the focus, because the pressed button may be gone or far away. */
export function ArrivingNotice({ words, tone = "danger", children }: ArrivingNoticeProps) {
  const notice = useRef<HTMLDivElement>(null);
  const announced = words === null ? "" : `${words.title} ${words.text}`;
  useEffect(() => {
    if (announced !== "") notice.current?.focus();
  }, [announced]);
  if (words === null) return null;
  return (
    <Notice ref={notice} tone={tone} role={tone === "danger" ? "alert" : "status"} title={words.title}>
      <p>{words.text}</p>
      {children}
    </Notice>
  );
}
