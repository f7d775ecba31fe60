import { useRoute } from "preact-iso";
import { AllMail } from "./all-mail.tsx";
import { MessagePage } from "./message-page.tsx";

export default function MailView() {
  const id = useRoute().params["id"];
  return id === undefined ? <AllMail /> : <MessagePage id={id} />;
}
