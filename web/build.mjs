// Builds the scripts of the pages: one module for each file in src/pages and src/workers, and what they share.
// `node build.mjs` writes into the package; `node build.mjs FOLDER` elsewhere.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, "../sage_ld/service/views/static/app"));
const pages = (await readdir(join(here, "src/pages"))).filter((name) => name.endsWith(".tsx")).sort();
const workers = (await readdir(join(here, "src/workers"))).filter((name) => name.endsWith(".ts")).sort();

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: [...pages.map((name) => `src/pages/${name}`), ...workers.map((name) => `src/workers/${name}`)],
  entryNames: "[name]",
  chunkNames: "shared/[name]-[hash]",
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  alias: { react: "preact/compat", "react-dom": "preact/compat" },
  minify: true,
  legalComments: "none", // licences.txt has them whole
  define: { "process.env.NODE_ENV": '"production"' },
  metafile: true,
  logLevel: "warning",
});
await writeFile(join(folder, "licences.txt"), await licences(Object.keys(metafile.inputs)));

/** The licences of the packages that are part of the output, as their terms ask for. */
async function licences(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const found = /^(?:\.\.\/web\/)?(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const texts = [];
  for (const each of [...packages].sort()) {
    const place = join(here, each);
    const about = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
    const file = (await readdir(place)).filter((name) => /^(licen[cs]e|copying)/i.test(name)).sort()[0];
    const text = file ? await readFile(join(place, file), "utf8") : `Licence: ${about.license}`;
    texts.push(`${about.name} ${about.version} (${about.license})\n\n${text.replaceAll("\r\n", "\n").trim()}\n`);
  }
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

for (const [name, { bytes }] of Object.entries(metafile.outputs)) {
  if (process.stdout.isTTY) console.log(`${relative(here, resolve(here, name))}  ${bytes} bytes`);
}
