// Takes deltas from the socket, shows the text once a frame, and notes for each delta how long it took to the screen.

/** `show` is called with the place and the whole text, at most once a frame. */
export function measure(show) {
  const place = document.getElementById("place");
  const latencies = [];
  const work = [];
  let text = "";
  let received = [];
  let shown = [];
  let isAsked = false;
  let frameBegan;
  let isInFrame = false;
  let workBegan;

  const channel = new MessageChannel();
  let painted = [];
  channel.port1.addEventListener("message", () => {
    const now = performance.now();
    for (const at of painted) latencies.push(now - at);
    if (workBegan !== undefined) work.push(now - workBegan);
    painted = [];
    workBegan = undefined;
  });
  channel.port1.start();
  const afterPaint = () => channel.port2.postMessage("");

  const frame = () => {
    isAsked = false;
    isInFrame = true;
    frameBegan = performance.now();
    // What the page draws at once it draws in microtasks, before the next task.
    setTimeout(() => (isInFrame = false));
    shown.push(...received);
    received = [];
    show(place, text);
  };

  // A page may show later what it was given: a delta is on the screen when the document has changed after it was given.
  new MutationObserver(() => {
    if (shown.length === 0) return;
    painted.push(...shown);
    shown = [];
    if (isInFrame) {
      workBegan = frameBegan;
      afterPaint();
      return;
    }
    // Drawn later, and so painted in the next frame. The time in between was no work.
    requestAnimationFrame(afterPaint);
  }).observe(place, { childList: true, characterData: true, subtree: true });

  const violations = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    violations.push(`${event.violatedDirective} ${event.blockedURI}`);
  });

  const socket = new WebSocket(`ws://${location.host}/deltas${location.search}`);
  socket.addEventListener("message", ({ data }) => {
    if (data === "") {
      setTimeout(() => {
        globalThis.result = { latencies, work, violations, length: place.textContent.length };
      }, 1_000);
      return;
    }
    received.push(performance.now());
    text += data;
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(frame);
  });
}
