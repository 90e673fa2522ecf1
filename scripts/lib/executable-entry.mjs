import { readdirSync } from 'node:fs'
import { inProject } from './project.mjs'
import { RUNTIME_SETTINGS } from './run-bun.mjs'

/** Members of `Modules` in server/compose/modules.ts, and the folders of the server that they are read from. */
const FOLDERS = { providers: 'providers', dialects: 'dialects', resources: 'api' }

/**
 * The first file of the executable, to stand two folders below the project. A compiled program cannot read
 * folders, so this names what stands in them. The console lies beside it, as `--asset dist/console` puts it.
 */
export function executableEntry() {
  const lists = Object.entries(FOLDERS).map(([member, folder]) => [member, folder, namesIn(folder)])
  return `import packageJson from '../../package.json'
import { readFileSet } from '../../server/http/static-files.ts'
import { main } from '../../server/main.ts'
${lists.map(([member, folder, names]) => names.map((name, index) => importLine(member, folder, name, index)).join('\n')).join('\n')}

// Bun reads these variables before the program runs, so that they must be there when the process begins.
const settings = ${JSON.stringify(RUNTIME_SETTINGS)}
if (Object.keys(settings).some(name => process.env[name] === undefined) && process.platform !== 'win32')
  process.execve(process.execPath, [process.execPath, ...process.argv.slice(2)], { ...settings, ...process.env })

const modules = {
${lists.map(([member, _folder, names]) => `  ${member}: new Map([${names.map((name, index) => `['${name}', ${member}${index}]`).join(', ')}]),`).join('\n')}
}
const consoleFiles = readFileSet(import.meta.dir + '/console')
process.exit(await main(process.argv.slice(2), { modules, consoleFiles, version: packageJson.version }))
`
}

const importLine = (member, folder, name, index) =>
  `import * as ${member}${index} from '../../server/${folder}/${name}/index.ts'`

const namesIn = folder =>
  readdirSync(inProject('server', folder), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort()
