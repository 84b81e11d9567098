import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules"] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    rules: {
      eqeqeq: "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Text of a tape is never markup: use textContent." },
        { property: "outerHTML", message: "Text of a tape is never markup: use textContent." },
        { property: "insertAdjacentHTML", message: "Text of a tape is never markup." },
      ],
    },
  },
  {
    files: ["*.mjs"],
    languageOptions: { globals: { process: "readonly", console: "readonly" } },
  },
);
