import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compileExecutable } from '../lib/build-executable.mjs'
import { npmCaptured } from '../lib/npm.mjs'
import { inProject } from '../lib/project.mjs'
import { runCaptured } from '../lib/run-captured.mjs'
import { executableName } from './targets.mjs'

const CACHE = inProject('.cache', 'bun')
const EXECUTABLES = inProject('dist', 'release', 'bin')

/** The path of a target's executable. The Dockerfile copies from there. */
export const executablePath = ({ name, os }) => join(EXECUTABLES, name, executableName(os))

/** Compiles the executable of a target. Throws when its runtime cannot be had or the compiler fails. */
export async function buildTarget(target) {
  const runtime = await findRuntime(target)
  const outfile = executablePath(target)
  mkdirSync(dirname(outfile), { recursive: true })
  const code = await compileExecutable(outfile, [
    `--target=${target.bun}`,
    `--compile-executable-path=${runtime}`,
  ])
  if (code !== 0) throw new Error(`the compiler exited with code ${code}`)
}

/** The runtime of a target: the installed one, or the package that the lock file names, checked against its hash. */
async function findRuntime({ bun, os }) {
  const name = `@oven/${bun}`
  const file = os === 'win32' ? 'bun.exe' : 'bun'
  const installed = inProject('node_modules', name, 'bin', file)
  if (existsSync(installed)) return installed
  const { version, integrity } = lockedPackage(name)
  const folder = join(CACHE, `${bun}-${version}`)
  const runtime = join(folder, 'package', 'bin', file)
  if (!existsSync(runtime)) await fetchPackage(`${name}@${version}`, integrity, folder)
  return runtime
}

function lockedPackage(name) {
  const found = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8')).packages[
    `node_modules/${name}`
  ]
  if (found) return found
  throw new Error(`package-lock.json has no ${name}`)
}

async function fetchPackage(specifier, integrity, folder) {
  mkdirSync(folder, { recursive: true })
  const output = await npmCaptured(['pack', specifier, '--silent', `--pack-destination=${folder}`])
  const tarball = join(folder, output.trim().split('\n').at(-1))
  const hash = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  if (integrity !== `sha512-${hash}`)
    throw new Error(`${specifier} does not have the hash of package-lock.json`)
  const { code, output: reason } = await runCaptured('tar', ['-xzf', tarball, '-C', folder])
  if (code !== 0) throw new Error(`${specifier} cannot be unpacked: ${reason}`)
}
