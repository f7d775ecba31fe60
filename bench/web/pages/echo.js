// The least that a page can do with a delta: one number changes.
import { measure } from "./measure.js";

measure((place, text) => {
  place.textContent = String(text.length);
});
