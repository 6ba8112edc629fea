import { type ReactNode, useEffect, useRef } from "react";
import { Notice } from "../../design/notice.tsx";
import type { ProblemWords } from "../../words/words.ts";

export interface ArrivingNoticeProps {
  /** Null while there is nothing to say. */
  readonly words: ProblemWords | null;
  readonly tone?: "danger" | "success";
  readonly children?: ReactNode;
}

/** What came of the last press. It takes the focus when it comes: what was pressed may be gone, or far from it. */
export function ArrivingNotice({ words, tone = "danger", children }: ArrivingNoticeProps) {
  const notice = useRef<HTMLDivElement>(null);
  const said = words === null ? "" : `${words.title} ${words.text}`;
  useEffect(() => {
    if (said !== "") notice.current?.focus();
  }, [said]);
  if (words === null) return null;
  return (
    <Notice ref={notice} tone={tone} role={tone === "danger" ? "alert" : "status"} title={words.title}>
      <p>{words.text}</p>
      {children}
    </Notice>
  );
}
