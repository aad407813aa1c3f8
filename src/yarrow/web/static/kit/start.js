// Runs before the first paint, so it is no module: sets the theme that the reader chose, and loads the modules of the
// page once it is painted. Forty requests cost a slow processor a fifth of a second, which the paint would wait for.

try {
  const theme = localStorage.getItem("yarrow.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the page follows the system.
}

document.addEventListener("DOMContentLoaded", () => {
  const modules = /** @type {HTMLTemplateElement | null} */ (document.getElementById("modules"));
  const load = () => modules && document.head.append(modules.content.cloneNode(true));
  if (document.hidden) load();
  else requestAnimationFrame(() => setTimeout(load));
});
