import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { findBun } from './bun-binary.mjs'
import { inProject } from './project.mjs'

/** What `node_modules/.bin/bun` and `bunx` start: until they are replaced, scripts that only print an error. */
const PLACEHOLDERS = ['bun.exe', 'bunx.exe']

/**
 * Puts the platform's Bun binary behind `node_modules/.bin/bun`, which editors, debuggers and test plugins call. The package
 * `bun` does this in an install script, which this project does not run. Existing links are kept.
 */
export function linkBun() {
  for (const name of PLACEHOLDERS) replaceByLink(inProject('node_modules', 'bun', 'bin', name), findBun())
}

function replaceByLink(path, target) {
  if (!existsSync(path) || isSameFile(path, target)) return
  const temporary = `${path}.${process.pid}`
  try {
    linkOrCopy(target, temporary)
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** A hard link has the binary's file number, a copy its size. */
function isSameFile(one, other) {
  const [first, second] = [statSync(one), statSync(other)]
  return first.ino === second.ino || first.size === second.size
}

/** Some file systems have no hard links. */
function linkOrCopy(target, path) {
  try {
    linkSync(target, path)
  } catch {
    copyFileSync(target, path)
  }
}
