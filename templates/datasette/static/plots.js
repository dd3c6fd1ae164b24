// Two plots of the front page, drawn with Observable Plot. The same figures stand below each as a table.

const style = getComputedStyle(document.documentElement);
const colour = (name) => style.getPropertyValue(`--${name}`).trim();
const draw = (id, options) => {
  const place = document.getElementById(id);
  if (!place) return;
  const data = JSON.parse(place.dataset.plots);
  const width = Math.min(place.clientWidth, 1000);
  const made = Plot.plot({ style: { background: "transparent", fontSize: "13px" }, width, ...options(data, width < 600) });
  for (const part of made.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label"); // of no role, so not to be named
  const drawn = made.querySelector(":scope > svg") ?? made;
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", place.closest("section").querySelector("h2").textContent);
  place.replaceChildren(made);
};

const verdicts = ["fresh", "moved", "edited", "ambiguous", "gone"];
const colours = ["good", "link", "number", "quiet", "bad"].map(colour);

draw("plot-weeks", ({ weeks, all_weeks }, narrow) => ({
  height: 250,
  marginBottom: narrow ? 70 : 40,
  x: { label: "week to", type: "band", domain: all_weeks, tickFormat: (day) => day.slice(5), tickRotate: narrow ? -60 : 0 },
  y: { label: "citations", grid: true },
  color: { domain: verdicts, range: colours, legend: true },
  marks: [Plot.barY(weeks, { x: "week", y: "citations", fill: "verdict", order: verdicts }), Plot.ruleY([0])],
}));

const standings = ["hold", "not checked yet", "no longer hold"];
const most = (folders) => Math.max(...folders.map(({ folder }) => folders.filter((one) => one.folder === folder).reduce((sum, one) => sum + one.notes, 0)));
draw("plot-folders", ({ folders }, narrow) => ({
  height: 60 + 26 * new Set(folders.map((one) => one.folder)).size,
  marginLeft: narrow ? 110 : 160,
  marginBottom: 45,
  x: { label: "notes", grid: true, labelOffset: 40, ticks: Math.min(narrow ? 4 : 8, most(folders)) },
  y: { label: null, domain: [...new Set(folders.map((one) => one.folder))] },
  color: { domain: standings, range: standings.map((name) => colour({ hold: "good", "no longer hold": "bad" }[name] ?? "quiet")), legend: true },
  marks: [Plot.barX(folders, { y: "folder", x: "notes", fill: "standing", order: standings }), Plot.ruleX([0])],
}));
