// Copying, and a key for the search box. Every page can be read without.

const said = (button, text) => {
  const place = button.closest("article, main").querySelector(".copied");
  if (place) place.textContent = text;
};

const textOf = async (button) => {
  if (button.dataset.copy !== undefined) return button.dataset.copy;
  const answer = await fetch(button.dataset.copyFrom);
  if (!answer.ok) throw new Error(`the server said ${answer.status}`);
  return (await answer.json()).text;
};

const copy = async (button) => {
  try {
    await navigator.clipboard.writeText(await textOf(button));
    said(button, "Copied.");
  } catch (error) {
    said(button, `Not copied: ${error.message}`);
  }
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-copy-from]");
  if (button) copy(button);
});

// Parts that take longer to find than the rest of a page come after it; without this file their links lead to them.
for (const link of document.querySelectorAll("a[data-part]")) {
  fetch(link.href).then(async (answer) => {
    const part = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(link.dataset.part);
    if (answer.ok && part) document.querySelector(link.dataset.part).replaceWith(part);
  }, () => {});
}

// Notes are checked while one looks at the front page: what it says of them follows for a minute, until all are.
const follow = (left) => {
  const checking = document.querySelector("[data-checking]");
  if (!checking || !left) return;
  setTimeout(async () => {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll(checking.dataset.checking)) {
      const now = page.getElementById(part.id);
      if (now && now.textContent !== part.textContent && !part.contains(document.activeElement)) part.replaceWith(now);
    }
    follow(left - 1);
  }, 3000);
};
follow(20);

const box = document.querySelector("#q");
const found = document.querySelector("#found");

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
  }
  if (found && (event.key === "ArrowDown" || event.key === "ArrowUp") && (event.target === box || event.target.closest(".hits"))) {
    const links = [...found.querySelectorAll(".hits li > a")];
    const next = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (next < -1 || next >= links.length) return;
    event.preventDefault();
    (next < 0 ? box : links[next]).focus();
  }
});

// As one types on the search page: the newest answer counts, whatever order they come in.
if (found) {
  let last = 0;
  let waiting;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const mine = ++last;
      const query = new URLSearchParams({ q: box.value });
      const answer = await fetch(`${box.form.action}/live?${query}`);
      if (!answer.ok || mine !== last) return;
      found.innerHTML = await answer.text();
      history.replaceState(null, "", `${box.form.action}?${query}`);
    }, 120);
  });
}
