// Bundles tests that are written in TypeScript and runs them: node test/run.mjs unit | e2e
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { palettePlugin } from "../build.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const which = process.argv[2] ?? "unit";
const files = readdirSync(here).filter((name) => name.endsWith("_test.ts") && name.startsWith("e2e") === (which === "e2e"));
const out = mkdtempSync(join(here, "..", "node_modules", ".tests-")); // there modules are found
try {
  await build({
    entryPoints: files.map((name) => join(here, name)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    plugins: [palettePlugin],
    external: ["playwright-core", "gltf-validator"],
    define: { "import.meta.dirname": JSON.stringify(here) },
    logLevel: "warning",
  });
  const programs = files.map((name) => join(out, name.replace(/ts$/, "mjs")));
  const run = spawnSync(process.execPath, ["--test", "--test-concurrency=1", ...programs], { stdio: "inherit", cwd: here });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
