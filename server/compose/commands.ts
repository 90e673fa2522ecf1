import type { Command, Feature } from '../feature.ts'

const NAME_WIDTH = 17

/** The commands of `tollgate` by name: those of the base, then those of features. Throws when two have the same name. */
export function commandsOf(
  base: Readonly<Record<string, Command>>,
  features: ReadonlyMap<string, Feature>,
): ReadonlyMap<string, Command> {
  const commands = new Map(Object.entries(base))
  const owners = new Map(Object.keys(base).map(name => [name, 'server/cli/commands.ts']))
  for (const [folder, { commands: own = {} }] of features)
    for (const [name, command] of Object.entries(own)) {
      const file = `features/${folder}/server/index.ts`
      const owner = owners.get(name)
      if (owner !== undefined)
        throw new Error(
          `${owner} and ${file} both have the command ${JSON.stringify(name)}: rename one of them`,
        )
      owners.set(name, file)
      commands.set(name, command)
    }
  return commands
}

export const renderUsage = (
  commands: ReadonlyMap<string, Command>,
): string => `Usage: tollgate [COMMAND] [OPTIONS]

Commands:
${[...commands].map(([name, { summary }]) => `  ${name.padEnd(NAME_WIDTH)}${summary}`).join('\n')}

Options:
  -h, --help       print this page; after a command, the usage of that command
  -v, --version    print the version

Environment variables are described in README.md.
`
