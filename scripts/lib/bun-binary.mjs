import { existsSync } from 'node:fs'
import { inProject } from './project.mjs'

const CPUS = { x64: 'x64', arm64: 'aarch64' }
const SYSTEMS = { linux: 'linux', darwin: 'darwin', win32: 'windows', freebsd: 'freebsd', android: 'android' }

/** The runtime's binary inside its platform package. Throws a sentence when this machine has none. */
export function findBun() {
  const found = binariesOf(process.platform, process.arch, isMusl()).find(existsSync)
  if (found) return found
  throw new Error(
    `the lock file names no Bun binary that is installed for ${process.platform} ${process.arch}; ` +
      'run `npm ci --ignore-scripts --include=optional` and look for a package below node_modules/@oven',
  )
}

/** Where the binary may stand, best first. */
export function binariesOf(platform, arch, musl) {
  const system = SYSTEMS[platform] ?? platform
  const cpu = CPUS[arch] ?? arch
  const file = platform === 'win32' ? 'bun.exe' : 'bun'
  const name =
    system === 'android' ? `bun-linux-${cpu}-android` : `bun-${system}-${cpu}${musl ? '-musl' : ''}`
  return [inProject('node_modules', '@oven', name, 'bin', file)]
}

function isMusl() {
  return process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined
}
