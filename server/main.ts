import { join } from 'node:path'
import packageJson from '../package.json'
import { BASE_COMMANDS } from './cli/commands.ts'
import { commandsOf, renderUsage } from './compose/commands.ts'
import { eventsOf, featuresOf, optionsOf } from './compose/features.ts'
import { migrationsOf } from './compose/migrations.ts'
import { loadModules } from './compose/modules.ts'
import { errorMessage } from './core/errors.ts'
import type { Command } from './feature.ts'
import { readFileSet } from './http/static-files.ts'
import type { Program } from './program.ts'

const HELP_OPTIONS = ['--help', '-h']
const VERSION_OPTIONS = ['--version', '-v']
const EXIT_USAGE_ERROR = 2

type Commands = ReadonlyMap<string, Command>

/** Runs the command line `tollgate ARGS` and returns the exit code. */
export async function main(args: readonly string[], program: Program): Promise<number> {
  const features = featuresOf(program.modules.features)
  const commands: Commands = new Map([
    ...commandsOf(BASE_COMMANDS, features),
    ['help', helpCommand(() => renderUsage(commands))],
  ])
  const [name = 'serve', ...rest] = args
  const information = helpOrVersion(args, commands, program)
  if (information !== undefined) return print(information)
  const command = commands.get(name)
  if (!command)
    return usageError(
      `tollgate: unknown command ${JSON.stringify(name)}; the commands are ${[...commands.keys()].join(', ')}`,
    )
  if (rest.length > 0 && !command.takesArguments)
    return usageError(
      `tollgate ${name} takes no arguments, found ${JSON.stringify(rest[0])}; settings are environment variables: README.md`,
    )
  try {
    return await command.run(rest, {
      ...program,
      features,
      migrations: migrationsOf(features),
      events: eventsOf(features),
      options: optionsOf(features),
    })
  } catch (error) {
    process.stderr.write(`tollgate ${name}: ${errorMessage(error)}\n`)
    return 1
  }
}

const helpCommand = (usage: () => string): Command => ({
  summary: 'print this page',
  usage: 'Usage: tollgate help\n\nPrints the usage of tollgate.\n',
  takesArguments: false,
  run: async () => print(usage()),
})

/** The text that `--help` or `--version` asks for, alone or after a command. */
function helpOrVersion(
  args: readonly string[],
  commands: Commands,
  { version }: Program,
): string | undefined {
  const [name = ''] = args
  const command = commands.get(name)
  if (!command && !name.startsWith('-')) return undefined
  if (args.some(arg => HELP_OPTIONS.includes(arg))) return command?.usage ?? renderUsage(commands)
  return args.some(arg => VERSION_OPTIONS.includes(arg)) ? `${version}\n` : undefined
}

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
