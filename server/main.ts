import { join } from 'node:path'
import { backup } from '#features/backups/server/cli/backup.ts'
import { restore } from '#features/backups/server/cli/restore.ts'
import { doctor } from '#features/doctor/server/doctor.ts'
import { exportCommand } from '#features/import/server/cli/export.ts'
import { importCommand } from '#features/import/server/cli/import.ts'
import { move } from '#features/move/server/cli/move.ts'
import packageJson from '../package.json'
import { lab } from './cli/lab.ts'
import { rootPassword } from './cli/root-password.ts'
import { serve } from './cli/serve.ts'
import { upgrade } from './cli/upgrade.ts'
import { COMMAND_USAGE, type CommandName, USAGE } from './cli/usage.ts'
import { verify } from './cli/verify.ts'
import { loadModules, type Program } from './compose/modules.ts'
import { errorMessage } from './core/errors.ts'
import { readFileSet } from './http/static-files.ts'

/** Runs a command and returns its exit code. */
type Command = (args: readonly string[], program: Program) => Promise<number>

const commands: Readonly<Record<CommandName, Command>> = {
  serve,
  lab,
  verify,
  doctor,
  backup,
  restore,
  upgrade,
  import: importCommand,
  export: exportCommand,
  move,
  'root-password': rootPassword,
  help: async () => print(USAGE),
}

const COMMANDS_WITH_ARGUMENTS: readonly CommandName[] = [
  'lab',
  'doctor',
  'backup',
  'restore',
  'upgrade',
  'import',
  'export',
  'move',
]
const HELP_OPTIONS = ['--help', '-h']
const VERSION_OPTIONS = ['--version', '-v']
const EXIT_USAGE_ERROR = 2

/** Runs the command line `tollgate ARGS` and returns the exit code. */
export async function main(args: readonly string[], program: Program): Promise<number> {
  const [name = 'serve', ...rest] = args
  const information = helpOrVersion(args, program)
  if (information !== undefined) return print(information)
  if (!isCommandName(name))
    return usageError(
      `tollgate: unknown command ${JSON.stringify(name)}; the commands are ${Object.keys(commands).join(', ')}`,
    )
  if (rest.length > 0 && !COMMANDS_WITH_ARGUMENTS.includes(name))
    return usageError(
      `tollgate ${name} takes no arguments, found ${JSON.stringify(rest[0])}; settings are environment variables: README.md`,
    )
  try {
    return await commands[name](rest, program)
  } catch (error) {
    process.stderr.write(`tollgate ${name}: ${errorMessage(error)}\n`)
    return 1
  }
}

/** The text that `--help` or `--version` asks for, alone or after a command. */
function helpOrVersion(args: readonly string[], { version }: Program): string | undefined {
  const [name = ''] = args
  if (!isCommandName(name) && !name.startsWith('-')) return undefined
  if (args.some(arg => HELP_OPTIONS.includes(arg))) return isCommandName(name) ? COMMAND_USAGE[name] : USAGE
  return args.some(arg => VERSION_OPTIONS.includes(arg)) ? `${version}\n` : undefined
}

const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name)

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function usageError(message: string): number {
  process.stderr.write(`${message}\n`)
  return EXIT_USAGE_ERROR
}

if (import.meta.main) {
  const program: Program = {
    modules: await loadModules(),
    consoleFiles: readFileSet(join(import.meta.dir, '..', 'dist', 'console')),
    docsFolder: join(import.meta.dir, '..', 'dist', 'docs'),
    version: packageJson.version,
  }
  process.exit(await main(process.argv.slice(2), program))
}
