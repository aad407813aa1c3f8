// The types of preact.js, from the packages it is made of; only the type check reads this.
export { Component, h, render, type VNode, type ComponentChildren } from "preact";
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export {
  batch,
  computed,
  effect,
  signal,
  useComputed,
  useSignal,
  useSignalEffect,
  type ReadonlySignal,
  type Signal,
} from "@preact/signals";
export function html(strings: TemplateStringsArray, ...values: unknown[]): any;
