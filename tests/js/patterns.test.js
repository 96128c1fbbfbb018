// Browsers read a field's `pattern` with the flag "v" and ignore one that is invalid.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

test("patterns of form fields are valid", () => {
  const templates = readdirSync("templates", { recursive: true }).filter((file) =>
    String(file).endsWith(".html"),
  );
  const patterns = templates.flatMap((file) => [
    ...readFileSync(`templates/${file}`, "utf8").matchAll(/ pattern="(.*?)"/g),
  ]);
  assert(patterns.length > 0);
  for (const [, pattern] of patterns) assert(new RegExp(pattern.replace(/\{\{.*?\}\}/g, "1"), "v"));
});
