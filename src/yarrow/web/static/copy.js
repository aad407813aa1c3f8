// Adds a copy button to every block of code. Without it the page is the same, less handy.
const canCopy = Boolean(navigator.clipboard);

function copyButton(label, text) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = label;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1600);
  });
  return button;
}

if (canCopy) {
  for (const block of document.querySelectorAll("pre")) {
    const frame = document.createElement("div");
    frame.className = "copyable";
    block.replaceWith(frame);
    frame.append(block, copyButton("Copy", () => block.innerText.trimEnd() + "\n"));
  }
}
