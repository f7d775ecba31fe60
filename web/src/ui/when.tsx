import { language } from "../words/words.ts";

/** A time in the person's own zone, with UTC behind it. Times of other days have their day. */
export function When({ at }: { readonly at: string | number }) {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return null;
  return (
    <time dateTime={time.toISOString()} title={time.toISOString()}>
      {dayAndTime(time)}
    </time>
  );
}

export function dayAndTime(time: Date, now = new Date()): string {
  const isToday = time.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(language.value, {
    ...(!isToday && { month: "short", day: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).format(time);
}
