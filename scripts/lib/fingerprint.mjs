import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './project.mjs'

/**
 * Hashes the names and contents of files and folders, given by their paths in the project.
 * A missing path counts as empty.
 */
export function fingerprintOf(paths, salt = '') {
  const hash = createHash('sha256').update(salt)
  for (const file of paths.flatMap(filesBelow)) {
    hash.update(`\n${file}\n`).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

/** Whether `stampFile` contains this fingerprint. */
export const isStamped = (stampFile, fingerprint) =>
  existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint

export function writeStamp(stampFile, fingerprint) {
  mkdirSync(dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, fingerprint)
}

/** Lists the files at or below a path of the project, in a fixed order. */
export function filesBelow(path) {
  const found = statSync(join(ROOT, path), { throwIfNoEntry: false })
  if (!found) return []
  if (found.isFile()) return [path]
  return readdirSync(join(ROOT, path))
    .sort()
    .flatMap(name => filesBelow(`${path}/${name}`))
}
