// What the bench does inside our page: looks when words are on the screen, and scrolls.

const FRAME_MS = 1_000 / 60;

/** Resolves with the time since the navigation at which the words were painted. */
globalThis.painted = (words) =>
  new Promise((resolve) => {
    const look = () => {
      const log = document.querySelector("[role=log]");
      if (!log?.textContent.includes(words)) {
        requestAnimationFrame(look);
        return;
      }
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener("message", () => resolve(performance.now()));
      port1.start();
      port2.postMessage("");
    };
    requestAnimationFrame(look);
  });

/** Scrolls up until the log begins or the time is over. What is not there yet is waited for, and that time is told apart. */
globalThis.scrollUp = (pixelsPerSecond, seconds) =>
  new Promise((resolve) => {
    const scroller = document.querySelector("[role=log]");
    const began = performance.now();
    const seen = { pixels: 0, frames: 0, dropped: 0, waitedMs: 0, isWhole: false };
    let before = began;
    const frame = (now) => {
      const took = Math.max(0, now - before);
      before = now;
      seen.frames += 1;
      seen.dropped += Math.max(0, Math.round(took / FRAME_MS) - 1);
      if (scroller.scrollTop > 0) {
        const step = Math.min(scroller.scrollTop, (took * pixelsPerSecond) / 1_000);
        scroller.scrollTop -= step;
        seen.pixels += step;
      } else {
        seen.waitedMs += took;
        // A person pushes on; only a move tells the page that somebody wants more.
        scroller.scrollTop += 1;
      }
      // All the text is read only where the beginning can be: reading it takes a part of a frame.
      seen.isWhole = scroller.scrollTop <= 1 && scroller.textContent.includes("Question 1\n");
      if (seen.isWhole || now - began > seconds * 1_000) resolve(seen);
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });

/** Fills an empty page with text to scroll in, which begins as our conversation does. */
globalThis.showPlainText = (lines) => {
  const log = document.createElement("div");
  log.setAttribute("role", "log");
  log.style.cssText = "height: 800px; overflow: auto; white-space: pre-line";
  for (let at = 0; at < lines; at += 1) {
    const line = document.createElement("p");
    line.textContent =
      at === 0 ? "Question 1\n" : `This is line ${at} of a page that does nothing.`;
    log.append(line);
  }
  document.body.append(log);
  log.scrollTop = log.scrollHeight;
};
