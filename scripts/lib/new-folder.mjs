import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProject } from './project.mjs'

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** Reads the name from the command line. Throws when it is not a valid folder name. */
export function readName(command) {
  const [name] = process.argv.slice(2)
  if (NAME.test(name ?? '')) return name
  throw new Error(
    `npm run ${command} -- NAME: expected a lower-case name with dashes, found ${name ?? 'none'}`,
  )
}

/** Writes the files of a new folder, given by their paths in it. Throws when the folder exists. */
export function writeFolder(folder, files) {
  if (existsSync(inProject(folder))) throw new Error(`${folder} already exists`)
  for (const [path, content] of Object.entries(files)) {
    const file = join(inProject(folder), path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    process.stdout.write(`${folder}/${path}\n`)
  }
}

/** `my-provider` → `My Provider`. */
export const titleCase = name =>
  name
    .split('-')
    .map(word => word[0].toUpperCase() + word.slice(1))
    .join(' ')

/** `my-screen` → `MyScreen`. */
export const pascalCase = name => titleCase(name).replaceAll(' ', '')

/** `my-screen` → `myScreen`. */
export const camelCase = name => name.replace(/-./g, dash => dash[1].toUpperCase())
