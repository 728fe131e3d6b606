// Builds the page: one HTML file with its code and style inside, and a place for a scene.
//   node build.mjs           writes dist/page.html
//   node build.mjs --check   tells whether dist/page.html is what the sources make
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const read = (...path) => readFileSync(join(here, ...path), "utf8");

/** Those colours of the C++ library that the page uses, by their names: `kStanceLeg` becomes `stanceLeg`. */
export function readPalette(text = read("..", "src", "amble", "base", "palette.hpp")) {
  const sources = readdirSync(join(here, "src")).filter((name) => name.endsWith(".ts"));
  const used = new Set(sources.flatMap((name) => [...read("src", name).matchAll(/color\("(\w+)"\)/g)].map((m) => m[1])));
  const colors = {};
  for (const [, name, color] of text.matchAll(/const char\* k(\w+) = "(#[0-9a-f]{6})"/g)) {
    const ours = name[0].toLowerCase() + name.slice(1);
    if (used.delete(ours)) colors[ours] = color;
  }
  if (used.size > 0) throw new Error(`the palette has no ${[...used].join(", ")}`);
  const curves = /kCurves\{([^}]*)\}/.exec(text)[1].match(/#[0-9a-f]{6}/g);
  return { ...colors, curves };
}

export const palettePlugin = {
  name: "palette",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^amble:palette$/ }, () => ({ path: "palette", namespace: "amble" }));
    esbuild.onLoad({ filter: /.*/, namespace: "amble" }, () => ({
      contents: `export default ${JSON.stringify(readPalette())}`,
      loader: "js",
    }));
  },
};

async function bundle(entry, options = {}) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2021",
    charset: "utf8",
    legalComments: "eof",
    plugins: [palettePlugin],
    absWorkingDir: here,
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

export async function makePage() {
  const code = (await bundle("src/main.ts")).replaceAll("</script", "<\\/script");
  const style = await bundle("src/page.css", { format: undefined });
  const hash = createHash("sha256").update(code).digest("base64");
  // Functions, so that a $ in the code is not read as a pattern.
  return read("src", "page.html")
    .replace("%HASH%", () => hash)
    .replace("%STYLE%", () => style)
    .replace("%CODE%", () => code);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = await makePage();
  const path = join(here, "dist", "page.html");
  if (process.argv.includes("--check")) {
    if (readFileSync(path, "utf8") !== page) {
      console.error("web/dist/page.html is not what web/ makes: run 'npm ci && npm run build' in web/ and commit it");
      process.exit(1);
    }
    console.log("dist/page.html is what the sources make");
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, page);
    console.log(`dist/page.html: ${(page.length / 1e6).toFixed(2)} MB`);
  }
}
