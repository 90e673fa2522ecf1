import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { inProject } from './project.mjs'

const IMPORT = /(?:from|import) '([.#][^']+\.tsx?)'/g

const known = new Map()

/** The project's files that a file imports, types included, as paths in the project. */
function importsOf(file) {
  if (!known.has(file)) {
    const text = readFileSync(inProject(file), 'utf8')
    const found = [...text.matchAll(IMPORT)].map(([, path]) =>
      path.startsWith('#') ? path.slice(1) : posix.join(posix.dirname(file), path),
    )
    known.set(file, found)
  }
  return known.get(file)
}

/** Whether a file imports another one, at once or by way of others. */
export function reaches(file, target) {
  const visited = new Set([file])
  for (const reached of visited) {
    if (reached === target) return true
    for (const imported of importsOf(reached)) visited.add(imported)
  }
  return false
}
