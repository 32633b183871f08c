// The one link to the playground: an event stream in, small requests out.

const read = (name) => document.querySelector(`meta[name="${name}"]`).content;
const TOKEN = read("playground-token");
const INSTANCE = read("playground-instance");

// The server says something at least every 3 s.
const SILENCE_MS = 9000;
const RETRY_MS = 1000;

/** Follows the playground's state. Calls `onDelta` for each change and `onLink` with true or false. */
export function follow(onDelta, onLink) {
  let source = null;
  let silence = 0;
  let retry = 0;

  const alive = () => {
    clearTimeout(silence);
    silence = setTimeout(lost, SILENCE_MS);
  };
  const lost = () => {
    clearTimeout(silence);
    source?.close();
    source = null;
    onLink(false);
    clearTimeout(retry);
    retry = setTimeout(open, RETRY_MS);
  };
  const open = () => {
    const stream = new EventSource("/api/events");
    source = stream;
    alive();
    stream.addEventListener("hello", (event) => {
      // Another playground on the same port: this page's token is worth nothing there.
      if (JSON.parse(event.data).instance !== INSTANCE) location.reload();
    });
    stream.addEventListener("state", (event) => {
      alive();
      onLink(true);
      onDelta(JSON.parse(event.data));
    });
    stream.addEventListener("ping", alive);
    stream.addEventListener("error", lost);
  };
  open();
  addEventListener("pagehide", () => source?.close());
}

/** Asks for a change. Answers null, or why it was not done. */
export async function ask(path, body = {}) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Playground-Token": TOKEN },
      body: JSON.stringify(body),
    });
    if (response.ok) return null;
    const answer = await response.text();
    try {
      return JSON.parse(answer).error ?? answer;
    } catch {
      return answer.trim() || `The playground answered ${response.status}.`;
    }
  } catch {
    return "The playground does not answer.";
  }
}
