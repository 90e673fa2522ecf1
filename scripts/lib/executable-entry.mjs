import { existsSync, readdirSync } from 'node:fs'
import { inProject } from './project.mjs'
import { runtimeSettings } from './runtime-settings.mjs'

/** The members of `Modules` in server/program.ts, with the folder and the file in it that each is loaded from. */
const FOLDERS = {
  providers: ['server/providers', 'index.ts'],
  dialects: ['server/dialects', 'index.ts'],
  features: ['features', 'server/index.ts'],
}

/**
 * Returns the source of the executable's entry file. A reader process and a health check load nothing of the program beside them.
 */
export const executableEntry =
  () => `import { READER_COMMAND, serveReads } from '#server/db/readers/reader-process.ts'

if (process.argv[2] === READER_COMMAND) serveReads(process.argv[3])
else if (process.argv.slice(2).join(' ') === 'doctor --ready')
  process.exit(await (await import('#features/doctor/server/gateway-state.ts')).printReadiness())
else await import('./program.ts')
`

/**
 * Returns the source of the program, for a folder two levels below the project. A compiled program cannot
 * list folders, so the source imports each module by name. `--asset dist/console`
 * and `--asset dist/docs` put the console and the documentation beside it.
 */
export function programEntry() {
  const lists = Object.entries(FOLDERS).map(([member, [folder, file]]) => ({
    member,
    folder,
    file,
    names: listFolders(folder, file),
  }))
  return `import packageJson from '../../package.json'
import { readFileSet } from '#server/http/static-files.ts'
import { main } from '#server/main.ts'
${lists.map(({ member, folder, file, names }) => names.map((name, index) => `import * as ${member}${index} from '../../${folder}/${name}/${file}'`).join('\n')).join('\n')}

// Bun reads these variables at startup, so the process replaces itself when they are missing.
const settings = ${JSON.stringify(runtimeSettings())}
if (Object.keys(settings).some(name => process.env[name] === undefined) && process.platform !== 'win32')
  process.execve(process.execPath, [process.execPath, ...process.argv.slice(2)], { ...settings, ...process.env })

const modules = {
${lists.map(({ member, names }) => `  ${member}: new Map([${names.map((name, index) => `['${name}', ${member}${index}]`).join(', ')}]),`).join('\n')}
}
const consoleFiles = readFileSet(import.meta.dir + '/console')
const docsFolder = import.meta.dir + '/docs'
process.exit(await main(process.argv.slice(2), { modules, consoleFiles, docsFolder, version: packageJson.version }))
`
}

const listFolders = (folder, file) =>
  readdirSync(inProject(folder), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && existsSync(inProject(folder, entry.name, file)))
    .map(entry => entry.name)
    .sort()
