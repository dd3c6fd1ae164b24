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

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    document.querySelector("#q").focus();
  }
});
