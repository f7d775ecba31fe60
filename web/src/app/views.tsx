import { ErrorBoundary, lazy, Route, Router } from "preact-iso";
import { Empty } from "../ui/empty.tsx";
import { t } from "../words/words.ts";

// Each view is a chunk of its own, so that the first paint waits for none but its own.
const Board = lazy(() => import("../board/board-view.tsx"));
const Talk = lazy(() => import("../talk/talk-view.tsx"));
const Calls = lazy(() => import("../calls/calls-view.tsx"));
const Tasks = lazy(() => import("../tasks/tasks-view.tsx"));
const Mail = lazy(() => import("../mail/mail-view.tsx"));
const Lost = lazy(() => import("../lost/lost-view.tsx"));
const Spend = lazy(() => import("../spend/spend-view.tsx"));
const Settings = lazy(() => import("../settings/settings-view.tsx"));

/** The views of a team by their address. */
export function TeamViews() {
  return (
    <ErrorBoundary>
      <Router>
        <Route path="/" component={Board} />
        <Route path="/board" component={Board} />
        <Route path="/talk" component={Talk} />
        <Route path="/a/:agent/:tab?" component={Talk} />
        <Route path="/calls/:id?" component={Calls} />
        <Route path="/tasks/:id?" component={Tasks} />
        <Route path="/mail/:id?" component={Mail} />
        <Route path="/lost" component={Lost} />
        <Route path="/spend" component={Spend} />
        <Route path="/settings" component={Settings} />
        <Route default component={Nothing} />
      </Router>
    </ErrorBoundary>
  );
}

/** The views of a gateway that serves one session. */
export function SessionViews() {
  return (
    <ErrorBoundary>
      <Router>
        <Route path="/" component={Talk} />
        <Route path="/talk" component={Talk} />
        <Route path="/calls/:id?" component={Calls} />
        <Route path="/settings" component={Settings} />
        <Route default component={Nothing} />
      </Router>
    </ErrorBoundary>
  );
}

function Nothing() {
  return <Empty title={t("notFound.title")}>{t("notFound.body")}</Empty>;
}
