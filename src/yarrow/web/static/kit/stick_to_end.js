// Keeps the newest text of a conversation in view.

import { html, useEffect, useLayoutEffect } from "../vendor/preact.js";
import { t } from "./words.js";

const NEAR_PX = 120;

/** Smoothly only where the reader asks for it: while it moves, the page counts as scrolled up. @param {"instant" | "smooth"} behavior */
const scrollToEnd = (behavior) => window.scrollTo({ top: document.documentElement.scrollHeight, behavior });

/**
 * Scrolls to the end with each change unless the reader scrolled up; then it shows the way back down. A component of
 * its own, because it is rendered with each frame of an answer.
 * @param {object} props
 * @param {() => unknown[]} props.watch reads what changes
 * @param {import("../vendor/preact.js").Signal<boolean>} props.isAway whether the reader scrolled up
 * @param {boolean} [props.isHeld] whether the reader stands elsewhere by the address
 */
export function StickToEnd({ watch, isAway, isHeld = false }) {
  useEffect(() => {
    const look = () => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
      isAway.value = scrollHeight - clientHeight - scrollTop > NEAR_PX;
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => {
    if (isAway.value || isHeld) return undefined;
    scrollToEnd("instant");
    const again = requestAnimationFrame(() => scrollToEnd("instant")); // What came into view has its size only now.
    return () => cancelAnimationFrame(again);
  }, watch());
  const goDown = () => scrollToEnd("smooth");
  return (
    isAway.value && html`<button type="button" class="button to-end" onClick=${goDown}>${t("chat.to_end")}</button>`
  );
}
