import { existsSync } from 'node:fs'
import { inProject } from './project.mjs'

const CPUS = { x64: 'x64', arm64: 'aarch64' }
const SYSTEMS = { linux: 'linux', darwin: 'darwin', win32: 'windows', freebsd: 'freebsd', android: 'android' }

/** Returns the path of the Bun binary that npm installed. Throws when there is none for this platform. */
export function findBun() {
  const found = binaryPaths(process.platform, process.arch, isMusl()).find(existsSync)
  if (found) return found
  throw new Error(
    `no Bun binary is installed for ${process.platform} ${process.arch}; ` +
      'run `npm ci --ignore-scripts --include=optional` and check for a package in node_modules/@oven',
  )
}

/** The possible paths of the binary, in order of preference. */
export function binaryPaths(platform, arch, musl) {
  const system = SYSTEMS[platform] ?? platform
  const cpu = CPUS[arch] ?? arch
  const file = platform === 'win32' ? 'bun.exe' : 'bun'
  const name =
    system === 'android' ? `bun-linux-${cpu}-android` : `bun-${system}-${cpu}${musl ? '-musl' : ''}`
  return [inProject('node_modules', '@oven', name, 'bin', file)]
}

/** Whether this system's C library is musl, as on Alpine. */
export function isMusl() {
  return process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined
}
