import js from "@eslint/js";

const BROWSER =
  "AbortController AbortSignal Blob DataTransfer Document Event EventTarget File FileReader FormData Headers " +
  "HTMLElement HTMLInputElement Image Intl IntersectionObserver Response RequestInit TextDecoderStream URL " +
  "URLSearchParams addEventListener cancelAnimationFrame clearInterval clearTimeout console createImageBitmap crypto document fetch " +
  "history localStorage location matchMedia navigator performance removeEventListener requestAnimationFrame " +
  "queueMicrotask sessionStorage structuredClone setInterval setTimeout window MediaRecorder MediaStream OfflineAudioContext AudioBuffer DataView ArrayBuffer Float32Array";

export default [
  js.configs.recommended,
  {
    languageOptions: {
      sourceType: "module",
      globals: Object.fromEntries(BROWSER.split(" ").map((name) => [name, "readonly"])),
    },
    rules: {
      eqeqeq: "error",
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 60],
      "no-console": "error",
      "no-restricted-properties": ["error", { property: "innerHTML" }, { property: "outerHTML" }, { property: "insertAdjacentHTML" }],
      "no-unused-expressions": "off",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
