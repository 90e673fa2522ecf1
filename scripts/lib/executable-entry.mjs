import { readdirSync } from 'node:fs'
import { inProject } from './project.mjs'
import { RUNTIME_SETTINGS } from './run-bun.mjs'

/** The members of `Modules` in server/compose/modules.ts, with the folder of the server that each is loaded from. */
const FOLDERS = { providers: 'providers', dialects: 'dialects', resources: 'api', sources: 'import/sources' }

/**
 * Returns the source of the executable's entry file. A reader process, one that charges requests again and a health check load
 * nothing of the program beside them.
 */
export const executableEntry =
  () => `import { READER_COMMAND, serveReads } from '../../server/db/readers/reader-process.ts'

if (process.argv[2] === READER_COMMAND) serveReads(process.argv[3])
else if (process.argv[2] === 'reprice-requests')
  (await import('../../server/ledger/reprice/reprice-process.ts')).serveReprice()
else if (process.argv.slice(2).join(' ') === 'doctor --ready')
  process.exit(await (await import('../../server/cli/doctor/gateway-state.ts')).printReadiness())
else await import('./program.ts')
`

/**
 * Returns the source of the program, for a folder two levels below the project. A compiled program cannot
 * list folders, so the source imports each module by name. `--asset dist/console`
 * and `--asset dist/docs` put the console and the documentation beside it.
 */
export function programEntry() {
  const lists = Object.entries(FOLDERS).map(([member, folder]) => [member, folder, listFolders(folder)])
  return `import packageJson from '../../package.json'
import { readFileSet } from '../../server/http/static-files.ts'
import { main } from '../../server/main.ts'
${lists.map(([member, folder, names]) => names.map((name, index) => importLine(member, folder, name, index)).join('\n')).join('\n')}

// Bun reads these variables at startup, so the process replaces itself when they are missing.
const settings = ${JSON.stringify(RUNTIME_SETTINGS)}
if (Object.keys(settings).some(name => process.env[name] === undefined) && process.platform !== 'win32')
  process.execve(process.execPath, [process.execPath, ...process.argv.slice(2)], { ...settings, ...process.env })

const modules = {
${lists.map(([member, _folder, names]) => `  ${member}: new Map([${names.map((name, index) => `['${name}', ${member}${index}]`).join(', ')}]),`).join('\n')}
}
const consoleFiles = readFileSet(import.meta.dir + '/console')
const docsFolder = import.meta.dir + '/docs'
process.exit(await main(process.argv.slice(2), { modules, consoleFiles, docsFolder, version: packageJson.version }))
`
}

const importLine = (member, folder, name, index) =>
  `import * as ${member}${index} from '../../server/${folder}/${name}/index.ts'`

const listFolders = folder =>
  readdirSync(inProject('server', folder), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort()
