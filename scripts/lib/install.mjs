import { existsSync, readFileSync } from 'node:fs'
import { findBun } from './bun-binary.mjs'
import { fingerprintOf, isStamped, writeStamp } from './fingerprint.mjs'
import { linkPostgres } from './postgres-links.mjs'
import { inProject } from './project.mjs'
import { run } from './run.mjs'

const NODE_MIN = [20, 19]
const STAMP = inProject('node_modules', '.tollgate-install')
const INSTALL_ARGS = ['ci', '--ignore-scripts', '--include=dev', '--include=optional']

/**
 * Brings node_modules to what the lock file names and makes what install scripts would have made.
 * Does nothing when that was done before for this lock file, this Node and this platform.
 */
export async function install() {
  requireNode()
  const fingerprint = fingerprintOf(
    ['package-lock.json'],
    `${process.version} ${process.platform} ${process.arch}`,
  )
  if (isStamped(STAMP, fingerprint)) return
  if (!holdsWhatTheLockNames()) await npm(INSTALL_ARGS)
  findBun()
  linkPostgres()
  writeStamp(STAMP, fingerprint)
}

/** Runs npm itself, the one that started this process when there is one. */
async function npm(args) {
  const own = process.env.npm_execpath
  const isWindows = process.platform === 'win32'
  const code =
    own?.endsWith('npm-cli.js') && existsSync(own)
      ? await run(process.execPath, [own, ...args])
      : await run(isWindows ? 'npm.cmd' : 'npm', args, { shell: isWindows })
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with code ${code}`)
}

/**
 * Whether node_modules, by npm's own record of it, already is what the lock file names: then `npm ci`, which
 * deletes everything first, would do the same work twice. Packages for other platforms may be missing.
 */
function holdsWhatTheLockNames() {
  const recordFile = inProject('node_modules', '.package-lock.json')
  if (!existsSync(recordFile)) return false
  const { '': _project, ...named } = packagesOf(inProject('package-lock.json'))
  const held = packagesOf(recordFile)
  const isHeld = ([path, { version, optional }]) =>
    held[path] ? held[path].version === version : optional === true
  return Object.entries(named).every(isHeld) && Object.keys(held).every(path => path in named)
}

const packagesOf = file => JSON.parse(readFileSync(file, 'utf8')).packages

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const isNewEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
  if (!isNewEnough)
    throw new Error(`Node ${NODE_MIN.join('.')} or newer is needed, this is ${process.version}`)
}
