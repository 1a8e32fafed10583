"use strict";
// A page that says data-live is read again when a run changes. What is being written
// into it, and which details are open, stays.
const main = document.getElementById("main");
if (main && main.hasAttribute("data-live") && window.EventSource) {
  const one = location.pathname.match(/^\/runs\/([^/]+)$/);
  let timer = 0;
  let stream = new EventSource("/events" + (one ? "?run=" + encodeURIComponent(one[1]) : ""));
  const read = async () => {
    timer = 0;
    if (main.contains(document.activeElement) && document.activeElement.matches("input, select")) return later();
    main.setAttribute("aria-busy", "true");
    try {
      const res = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (res.redirected) return stream.close();
      const next = new DOMParser().parseFromString(await res.text(), "text/html").getElementById("main");
      const open = new Map([...main.querySelectorAll("details[id]")].map((d) => [d.id, d.open]));
      main.replaceChildren(...next.childNodes);
      for (const [id, is] of open) {
        const d = document.getElementById(id);
        if (d) d.open = is;
      }
      if (!next.hasAttribute("data-live")) stream.close();
    } catch {
      later(); // the server is away: what is here stays
    } finally {
      main.removeAttribute("aria-busy");
    }
  };
  const later = () => { timer = timer || setTimeout(read, 400); };
  stream.addEventListener("run", later);
  stream.addEventListener("reset", later);
}
