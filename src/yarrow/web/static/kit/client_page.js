// What every page that is a client does: takes its place in the frame, and changes its view without a new page.

import { html, render, signal, useEffect } from "../vendor/preact.js";
import { ApiProblem } from "./api.js";
import { ProblemNotice } from "./problems.js";

/** Put the page in the place of the shape that the server sent. @param {() => any} App */
export function mountPage(App) {
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  root.replaceChildren();
  render(html`<${App} />`, root);
}

/**
 * Make a listener for clicks: links to other views of the page are followed in place, unless the reader wants a new tab.
 * @param {string} page the address of the page, which its views begin with
 * @param {(address: string) => void} go
 * @returns {(event: MouseEvent) => void}
 */
export const interceptLinks = (page, go) => (event) => {
  const link = /** @type {HTMLElement} */ (event.target).closest("a");
  if (!link || link.download || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const isView = link.pathname === page || link.pathname.startsWith(`${page}/`);
  if (link.origin !== location.origin || !isView) return;
  event.preventDefault();
  go(link.pathname + link.search);
};

/**
 * Make a component whose module is loaded when it is first shown: a view that most readers of the page do not open.
 * @param {() => Promise<any>} load resolves with the component
 * @returns {(props: any) => any}
 */
export function loadLater(load) {
  const loaded = signal(/** @type {any} */ (null));
  const problem = signal(/** @type {ApiProblem | null} */ (null));
  const start = () => {
    problem.value = null;
    if (!loaded.value)
      load().then(
        (component) => (loaded.value = component),
        (error) => (problem.value = new ApiProblem(0, "NETWORK", String(error))),
      );
  };
  return (props) => {
    useEffect(start, []);
    if (problem.value) return html`<${ProblemNotice} problem=${problem.value} onRetry=${() => location.reload()} />`;
    return loaded.value && html`<${loaded.value} ...${props} />`;
  };
}
