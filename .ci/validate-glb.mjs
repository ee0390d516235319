// Runs the Khronos validator over our own models and fails on any error or warning.
//
//   npm ci --prefix .ci --no-audit --no-fund && node .ci/validate-glb.mjs
//
// Arguments are files and folders; without any, the models that the project ships. Models under tests/ are broken on purpose.

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import validator from "gltf-validator";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

function models(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, name))
    .filter((file) => file.endsWith(".glb"))
    .sort();
}

async function validate(file) {
  const bytes = new Uint8Array(readFileSync(file));
  const { issues } = await validator.validateBytes(bytes, { uri: file, maxIssues: 100 });
  const { numErrors, numWarnings, numInfos, numHints } = issues;
  console.log(
    `${relative(root, file)}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints`,
  );
  for (const issue of issues.messages) {
    console.log(`  ${"EWIH"[issue.severity]} ${issue.code} ${issue.pointer ?? ""} ${issue.message}`);
  }
  return numErrors + numWarnings === 0;
}

const given = process.argv.slice(2).map((path) => resolve(path));
const shipped = ["assets", "samples"].map((name) => join(root, name)).filter(existsSync);
const files = (given.length > 0 ? given : shipped).flatMap(models);
if (files.length === 0) {
  console.error("validate-glb: there is no .glb file to validate");
  process.exit(1);
}
let valid = true;
for (const file of files) valid = (await validate(file)) && valid;
process.exit(valid ? 0 : 1);
