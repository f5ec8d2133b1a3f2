// Looks again at the part of a page that may have changed, while somebody sees it and does nothing in it.
"use strict";

for (const part of document.querySelectorAll("[data-again]")) {
  const inUse = () =>
    document.hidden ||
    part.contains(document.activeElement) ||
    part.querySelector("details[open], input:checked") !== null ||
    (!getSelection().isCollapsed && getSelection().containsNode(part, true));

  const look = async () => {
    if (!inUse()) {
      try {
        const answer = await fetch(location.href, { redirect: "error" });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(part.id);
        if (answer.ok && fresh && !inUse()) {
          part.replaceChildren(...fresh.childNodes);
        }
      } catch {
        // The game is away, or nobody is logged in any more; it is tried again.
      }
    }
    setTimeout(look, part.dataset.again * 1000);
  };

  setTimeout(look, part.dataset.again * 1000);
}
