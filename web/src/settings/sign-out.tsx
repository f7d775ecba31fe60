import { useState } from "preact/hooks";
import { explain } from "../link/errors.ts";
import { leave } from "../link/sign-in.ts";
import { usePage } from "../state/page-state.ts";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";

/** Ends this sign-in. The gateway then closes the connection, and the page asks for a new link. */
export function SignOut() {
  const { signedIn } = usePage();
  const [error, setError] = useState<unknown>(undefined);
  return (
    <>
      <div>
        <Key onClick={() => void leave(signedIn.key).catch(setError)}>{t("settings.signOut")}</Key>
      </div>
      {error !== undefined && <p role="alert">{explain(error)}</p>}
    </>
  );
}
