import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmCaptured } from '../lib/npm.mjs'
import { inProject } from '../lib/project.mjs'
import { runBun } from '../lib/run-bun.mjs'
import { executableName, packageName } from './targets.mjs'

const NODE_MIN = '>=18.19'
const EVERYBODY_RUNS = 0o755

/**
 * Writes the folders of the npm packages into `folder` and returns their paths: first one package per target with its
 * executable, which is published first, then `tollgate`, which names them all as optional dependencies. npm installs those
 * of the user's platform only, and nothing is built there. `executables` maps the names of targets to files.
 */
export async function stagePackages(folder, targets, executables) {
  rmSync(folder, { recursive: true, force: true })
  const built = targets.filter(({ name }) => executables[name] !== undefined)
  const platforms = built.map(target =>
    stagePlatform(join(folder, target.name), target, executables[target.name]),
  )
  return [...platforms, await stageLauncher(join(folder, 'tollgate'), targets)]
}

/** Packs a staged folder into `destination` and returns the path of the tarball. */
export async function packPackage(folder, destination) {
  mkdirSync(destination, { recursive: true })
  const output = await npmCaptured(['pack', '--silent', `--pack-destination=${destination}`], folder)
  return join(destination, output.trim().split('\n').at(-1))
}

function stagePlatform(folder, target, executable) {
  const { name, os, cpu, libc } = target
  const file = executableName(os)
  mkdirSync(folder, { recursive: true })
  copyFileSync(executable, join(folder, file))
  chmodSync(join(folder, file), EVERYBODY_RUNS)
  writeManifest(folder, {
    ...commonFields(packageName(name)),
    description: `The executable of Tollgate for ${name}. Install tollgate instead, which chooses the right one.`,
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    files: [file],
    preferUnplugged: true,
  })
  return folder
}

async function stageLauncher(folder, targets) {
  const bin = join(folder, 'bin', 'tollgate.mjs')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const entry = inProject('scripts', 'release', 'launcher.mjs')
  const code = await runBun(['build', '--target=node', '--outfile', bin, entry], { stdio: 'ignore' })
  if (code !== 0) throw new Error(`bundling the launcher exited with code ${code}`)
  chmodSync(bin, EVERYBODY_RUNS)
  copyFileSync(inProject('README.md'), join(folder, 'README.md'))
  const { version } = readProject()
  writeManifest(folder, {
    ...commonFields('tollgate'),
    description: readProject().description,
    keywords: ['ai', 'gateway', 'llm', 'openai', 'proxy', 'billing'],
    type: 'module',
    bin: { tollgate: 'bin/tollgate.mjs' },
    files: ['bin'],
    engines: { node: NODE_MIN },
    optionalDependencies: Object.fromEntries(targets.map(({ name }) => [packageName(name), version])),
  })
  return folder
}

/** npm accepts a provenance statement only for a package that names the repository it was built in. */
function commonFields(name) {
  const { version, license } = readProject()
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  return {
    name,
    version,
    license,
    ...(server && repository && { repository: { type: 'git', url: `git+${server}/${repository}.git` } }),
    publishConfig: { access: 'public' },
  }
}

function writeManifest(folder, manifest) {
  copyFileSync(inProject('LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

const readProject = () => JSON.parse(readFileSync(inProject('package.json'), 'utf8'))
