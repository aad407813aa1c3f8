// Sets the theme that the reader chose, before the first paint; a module would run after it.
try {
  const theme = localStorage.getItem("yarrow.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the page follows the system.
}
