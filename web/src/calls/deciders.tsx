import { ApprovalForm } from "./approval-form.tsx";
import { ElicitationForm } from "./elicitation-form.tsx";
import { NoticeForm } from "./notice-form.tsx";
import { PlanForm } from "./plan-form.tsx";
import { QuestionForm } from "./question-form.tsx";
import type { TicketPart } from "./ticket-parts.ts";

/** The buttons and forms of a ticket, each kind of request with its own. */
export function Deciders({ request, ...rest }: TicketPart) {
  switch (request.type) {
    case "approval_request":
      return <ApprovalForm request={request} {...rest} />;
    case "question":
      return <QuestionForm request={request} {...rest} />;
    case "plan":
      return <PlanForm request={request} {...rest} />;
    case "elicitation":
      return <ElicitationForm request={request} {...rest} />;
    default:
      return <NoticeForm request={request} {...rest} />;
  }
}
