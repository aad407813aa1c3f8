// Keeps the newest text of a conversation in view.

import { html, useEffect, useLayoutEffect, useRef } from "../vendor/preact.js";
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
  const ownTop = useRef(-1); // Where the last scroll of ours ended.
  useEffect(() => {
    const look = () => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
      const isFar = scrollHeight - clientHeight - scrollTop > NEAR_PX;
      // The event of a scroll of ours may come after the page has grown again: the reader moved nothing.
      if (!isFar || Math.abs(scrollTop - ownTop.current) >= 1) isAway.value = isFar;
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => {
    if (isAway.value || isHeld) return undefined;
    const follow = () => {
      scrollToEnd("instant");
      ownTop.current = document.documentElement.scrollTop;
    };
    follow();
    // What came into view has its size only now. The reader may have scrolled since.
    const again = requestAnimationFrame(() => isAway.value || follow());
    return () => cancelAnimationFrame(again);
  }, watch());
  const goDown = () => scrollToEnd("smooth");
  return (
    isAway.value && html`<button type="button" class="button to-end" onClick=${goDown}>${t("chat.to_end")}</button>`
  );
}
