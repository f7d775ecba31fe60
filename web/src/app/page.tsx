import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { LocationProvider } from "preact-iso";
import type { SignedIn, SignIn } from "../link/sign-in.ts";
import { hasEnded, signIn } from "../link/sign-in.ts";
import type { PageState } from "../state/page-state.ts";
import { PageContext } from "../state/page-state.ts";
import { TalkState } from "../state/talk-state.ts";
import { TeamState } from "../state/team-state.ts";
import { Announcer } from "../ui/announcer.tsx";
import { Shell } from "./shell.tsx";
import { SignInPage } from "./sign-in-page.tsx";

/** The whole page: first the way in, then the views. */
export function Page() {
  const [state, setState] = useState<SignIn | undefined>(undefined);
  const tryIn = (): void => void signIn().then(setState);
  useEffect(tryIn, []);
  if (state === undefined) return null;
  if (state.kind === "out") return <SignInPage why={state.why} onRetry={tryIn} />;
  return <Views signedIn={state} onOut={() => setState({ kind: "out", why: "ended" })} />;
}

function Views({ signedIn, onOut }: { readonly signedIn: SignedIn; readonly onOut: () => void }) {
  const [page] = useState(() => openPage(signedIn));
  const served = page.team ?? page.session;
  useEffect(() => {
    served?.open(signedIn.key).catch(() => {
      // The link's state tells why.
    });
    const stop = served?.link.subscribe((link) => {
      if (link.kind === "ended" && link.error?.code === "sign_in_required") onOut();
      if (link.kind === "lost") void hasEnded(signedIn.key).then((isOver) => isOver && onOut());
    });
    return () => {
      stop?.();
      void served?.close();
    };
  }, [served]);
  return (
    <PageContext.Provider value={page}>
      {/* Below the frame it would make the page a line too high. */}
      <Announcer />
      <LocationProvider>
        <Shell />
      </LocationProvider>
    </PageContext.Provider>
  );
}

function openPage(signedIn: SignedIn): PageState {
  return {
    signedIn,
    team: signedIn.serves === "team" ? new TeamState() : undefined,
    session: signedIn.serves === "session" ? new TalkState({ name: signedIn.name }) : undefined,
    announcement: signal({ text: "", isUrgent: false }),
  };
}
