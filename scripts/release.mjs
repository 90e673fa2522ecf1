import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareExecutable } from './lib/build-executable.mjs'
import { install } from './lib/install.mjs'
import { main, projectVersion } from './lib/main.mjs'
import { inProject, ROOT } from './lib/project.mjs'
import { archiveChart, archiveTarget, writeChecksums, writeSbom } from './release/archives.mjs'
import { buildTarget, executablePath } from './release/executables.mjs'
import { readNotes } from './release/notes.mjs'
import { packPackage, stagePackages } from './release/npm-packages.mjs'
import { createSigner } from './release/signature.mjs'
import { TARGETS } from './release/targets.mjs'

const RELEASE = inProject('dist', 'release')
const ASSETS = join(RELEASE, 'assets')
const TARBALLS = join(RELEASE, 'npm')
const MIB = 2 ** 20

const USAGE = `
Usage: npm run release -- vVERSION
       npm run release -- --dry [--target NAME]…

Builds the files of a release into dist/release and publishes nothing: executables, npm packages, archives, the Helm chart,
the SBOM, checksums and the text of the release. With a tag, the version of package.json and the changelog must match it,
and every platform must build. --dry takes the unreleased changes, and leaves out platforms whose runtime cannot be fetched.

Platforms: ${TARGETS.map(({ name }) => name).join(', ')}
`

await main(USAGE, async args => {
  const request = readRequest(args)
  const notes = readNotes(readFileSync(inProject('CHANGELOG.md'), 'utf8'), request.version)
  const scriptFile = inProject('deploy', 'install.sh')
  const signer = createSigner({ isDry: request.isDry, scriptFile })
  await install()
  rmSync(RELEASE, { recursive: true, force: true })
  mkdirSync(ASSETS, { recursive: true })
  writeFileSync(join(RELEASE, 'notes.md'), notes)
  const executables = await buildExecutables(request)
  for (const folder of await stagePackages(join(RELEASE, 'packages'), TARGETS, executables))
    await packPackage(folder, TARBALLS)
  for (const target of TARGETS)
    if (executables[target.name]) await archiveTarget(ASSETS, target, executables[target.name])
  await archiveChart(ASSETS, projectVersion())
  signer.writeScript(ASSETS)
  await writeSbom(join(ASSETS, 'sbom.cdx.json'))
  writeChecksums(ASSETS)
  signer.signChecksums(ASSETS)
  for (const folder of [ASSETS, TARBALLS]) printFiles(folder)
  return 0
})

/** Throws when the tag is not that of this version, or a platform does not exist. */
function readRequest(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { dry: { type: 'boolean', default: false }, target: { type: 'string', multiple: true } },
  })
  const [tag] = positionals
  if (values.dry === (tag !== undefined) || (tag !== undefined && values.target))
    throw new Error(USAGE.trim())
  if (tag !== undefined && tag !== `v${projectVersion()}`)
    throw new Error(`the tag ${tag} does not match the version ${projectVersion()} of package.json`)
  const names = values.target ?? TARGETS.map(({ name }) => name)
  const unknown = names.find(name => !TARGETS.some(target => target.name === name))
  if (unknown) throw new Error(`there is no platform ${unknown}\n\n${USAGE.trim()}`)
  return {
    isDry: values.dry,
    version: tag?.slice(1),
    targets: TARGETS.filter(({ name }) => names.includes(name)),
  }
}

/** Returns the file of each target by name. A dry run leaves out targets that cannot be built here. */
async function buildExecutables({ isDry, targets }) {
  await prepareExecutable()
  const executables = {}
  for (const target of targets) {
    try {
      await buildTarget(target)
      executables[target.name] = executablePath(target)
    } catch (error) {
      if (!isDry) throw error
      process.stdout.write(`left out ${target.name}: ${error.message}\n`)
    }
  }
  if (Object.keys(executables).length === 0) throw new Error('no platform could be built')
  return executables
}

function printFiles(folder) {
  for (const name of readdirSync(folder).sort()) {
    const size = statSync(join(folder, name)).size / MIB
    process.stdout.write(`${size.toFixed(1).padStart(7)} MiB  ${relative(ROOT, join(folder, name))}\n`)
  }
}
