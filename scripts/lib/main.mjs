import { readFileSync } from 'node:fs'
import { inProject } from './project.mjs'

/**
 * Runs a command. `--help` prints the usage and `--version` the project's version; otherwise `work` is called with the
 * arguments and returns the exit code. An error is printed and sets the exit code to 1.
 */
export async function main(usage, work, args = process.argv.slice(2)) {
  if (args.includes('--help') || args.includes('-h')) return print(usage.trim())
  if (args.includes('--version') || args.includes('-v')) return print(projectVersion())
  try {
    process.exitCode = (await work(args)) ?? 0
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/** Reads the version from package.json. */
export const projectVersion = () => JSON.parse(readFileSync(inProject('package.json'), 'utf8')).version

const print = text => process.stdout.write(`${text}\n`)
