/**
 * The platforms of a release. `name` is that of the npm package and of the archive; `bun` names both the package that
 * carries the runtime and the compiler's target.
 */
export const TARGETS = [
  { name: 'linux-x64', os: 'linux', cpu: 'x64', libc: 'glibc', bun: 'bun-linux-x64' },
  { name: 'linux-arm64', os: 'linux', cpu: 'arm64', libc: 'glibc', bun: 'bun-linux-aarch64' },
  { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl', bun: 'bun-linux-x64-musl' },
  { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl', bun: 'bun-linux-aarch64-musl' },
  { name: 'darwin-x64', os: 'darwin', cpu: 'x64', bun: 'bun-darwin-x64' },
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64', bun: 'bun-darwin-aarch64' },
  { name: 'win32-x64', os: 'win32', cpu: 'x64', bun: 'bun-windows-x64' },
]

/** The name of a target, by the platform and processor that Node reports. */
export const targetName = (platform, arch, isMusl) => `${platform}-${arch}${isMusl ? '-musl' : ''}`

/** The file name of the executable on a platform. */
export const executableName = platform => (platform === 'win32' ? 'tollgate.exe' : 'tollgate')

export const packageName = target => `@tollgate/${target}`

/** The file that `npm pack` writes for a package. */
export const tarballName = (name, version) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
