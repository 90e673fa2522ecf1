import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProject } from './project.mjs'

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** The name given on the command line. Throws when it is no name of a folder. */
export function givenName(command) {
  const [name] = process.argv.slice(2)
  if (NAME.test(name ?? '')) return name
  throw new Error(
    `npm run ${command} NAME: a name in lower case with dashes was needed, found ${name ?? 'none'}`,
  )
}

/** Writes the files of a new folder, by their path in it. Throws when the folder is there. */
export function writeFolder(folder, files) {
  if (existsSync(inProject(folder))) throw new Error(`${folder} is there already`)
  for (const [path, content] of Object.entries(files)) {
    const file = join(inProject(folder), path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    process.stdout.write(`${folder}/${path}\n`)
  }
}

/** `my-vendor` → `My Vendor`. */
export const titleOf = name =>
  name
    .split('-')
    .map(word => word[0].toUpperCase() + word.slice(1))
    .join(' ')

/** `my-screen` → `MyScreen`. */
export const pascalOf = name => titleOf(name).replaceAll(' ', '')
