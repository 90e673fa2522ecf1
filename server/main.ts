import { join } from 'node:path'
import packageJson from '../package.json'
import { help } from './cli/help.ts'
import { lab } from './cli/lab.ts'
import { rootPassword } from './cli/root-password.ts'
import { serve } from './cli/serve.ts'
import { verify } from './cli/verify.ts'
import { loadModules, type Program } from './compose/modules.ts'
import { errorMessage } from './core/errors.ts'
import { readFileSet } from './http/static-files.ts'

/** What can be typed after `tollgate`. Each gives the exit code. */
const verbs: Readonly<Record<string, (args: readonly string[], program: Program) => Promise<number>>> = {
  serve,
  lab,
  verify,
  'root-password': rootPassword,
  help,
}

/** Those that take none. */
const PLAIN_VERBS: readonly string[] = ['serve', 'verify', 'root-password', 'help']

const BAD_USAGE = 2

export async function main([verb = 'serve', ...args]: readonly string[], program: Program): Promise<number> {
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (!run)
    return refuse(`tollgate: there is no verb ${JSON.stringify(verb)}; try: ${Object.keys(verbs).join(', ')}`)
  if (args.length > 0 && PLAIN_VERBS.includes(verb))
    return refuse(
      `tollgate ${verb} takes no arguments, found ${JSON.stringify(args[0])}; settings are variables of the environment: README.md`,
    )
  try {
    return await run(args, program)
  } catch (error) {
    process.stderr.write(`tollgate ${verb}: ${errorMessage(error)}\n`)
    return 1
  }
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n`)
  return BAD_USAGE
}

if (import.meta.main) {
  const program: Program = {
    modules: await loadModules(),
    consoleFiles: readFileSet(join(import.meta.dir, '..', 'dist', 'console')),
    version: packageJson.version,
  }
  process.exit(await main(process.argv.slice(2), program))
}
