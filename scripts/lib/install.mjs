import { existsSync, readFileSync } from 'node:fs'
import { linkBun } from './bun-links.mjs'
import { fingerprintOf, isStamped, writeStamp } from './fingerprint.mjs'
import { npm } from './npm.mjs'
import { linkPostgres } from './postgres-links.mjs'
import { inProject } from './project.mjs'

const NODE_MIN = [20, 19]
const STAMP = inProject('node_modules', '.tollgate-install')
/** What decides whether a set-up is up to date: the packages, and the steps that complete them. */
const SET_UP_FILES = ['package-lock.json', 'scripts/lib/bun-links.mjs', 'scripts/lib/postgres-links.mjs']
const INSTALL_ARGS = ['ci', '--ignore-scripts', '--include=dev', '--include=optional']

/**
 * Installs the packages of the lock file and creates the files that their install scripts would create.
 * Does nothing when the stamp shows that this was done for these files, this Node version and platform.
 */
export async function install() {
  requireNode()
  const fingerprint = fingerprintOf(SET_UP_FILES, `${process.version} ${process.platform} ${process.arch}`)
  if (isStamped(STAMP, fingerprint)) return
  if (!matchesLockFile()) await npm(INSTALL_ARGS)
  linkBun()
  linkPostgres()
  writeStamp(STAMP, fingerprint)
}

/**
 * Whether node_modules, according to npm's own record, already matches the lock file. Then `npm ci`, which deletes
 * everything first, is unnecessary. Optional packages, such as those for other platforms, may be missing.
 */
function matchesLockFile() {
  const recordFile = inProject('node_modules', '.package-lock.json')
  if (!existsSync(recordFile)) return false
  const { '': _project, ...locked } = readPackages(inProject('package-lock.json'))
  const installed = readPackages(recordFile)
  const isInstalled = ([path, { version, optional }]) =>
    installed[path] ? installed[path].version === version : optional === true
  return Object.entries(locked).every(isInstalled) && Object.keys(installed).every(path => path in locked)
}

const readPackages = file => JSON.parse(readFileSync(file, 'utf8')).packages

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const isNewEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
  if (!isNewEnough)
    throw new Error(`Node ${NODE_MIN.join('.')} or newer is needed, this is ${process.version}`)
}
