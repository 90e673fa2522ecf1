import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmCaptured } from '../lib/npm.mjs'
import { inProject } from '../lib/project.mjs'
import { runCaptured } from '../lib/run-captured.mjs'

/** The same content gives the same archive, whoever builds it and when. */
const REPRODUCIBLE = [
  '--sort=name',
  '--mtime=@0',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rwX,go=rX',
]
const DEPLOY = inProject('deploy')

/** Writes an archive with the executable of a target, its licence and, for Linux, the systemd unit. */
export async function archiveTarget(destination, { name, os }, executable) {
  const folder = join(destination, `.${name}`)
  mkdirSync(folder, { recursive: true })
  copyFileSync(executable, join(folder, os === 'win32' ? 'tollgate.exe' : 'tollgate'))
  copyFileSync(inProject('LICENSE'), join(folder, 'LICENSE'))
  if (os === 'linux')
    copyFileSync(join(DEPLOY, 'systemd', 'tollgate.service'), join(folder, 'tollgate.service'))
  const archive = join(destination, `tollgate-${name}.tar.gz`)
  await writeArchive(archive, folder, readdirSync(folder))
  rmSync(folder, { recursive: true })
  return archive
}

/** Writes the Helm chart as `helm package` does. */
export async function archiveChart(destination, version) {
  const archive = join(destination, `tollgate-chart-${version}.tgz`)
  await writeArchive(archive, join(DEPLOY, 'helm'), ['tollgate'])
  return archive
}

async function writeArchive(archive, folder, names) {
  const args = [...REPRODUCIBLE, '--use-compress-program=gzip -n', '-cf', archive, '-C', folder, ...names]
  const { code, output } = await runCaptured('tar', args)
  if (code !== 0) throw new Error(`${archive} cannot be written: ${output.trim()}`)
}

/** Lists every package of the lock file. Those marked for development include the libraries of the console. */
export async function writeSbom(file) {
  const sbom = await npmCaptured(['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], inProject())
  writeFileSync(file, `${JSON.stringify(JSON.parse(sbom), undefined, 2)}\n`)
}

/** Writes the SHA-256 of each file of a folder, in the format of `sha256sum`. */
export function writeChecksums(folder) {
  const names = readdirSync(folder)
    .filter(name => !name.startsWith('SHA256SUMS'))
    .sort()
  const lines = names.map(name => `${sha256(join(folder, name))}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

const sha256 = file => createHash('sha256').update(readFileSync(file)).digest('hex')
