import { readFileSync } from 'node:fs'
import { inProject } from './project.mjs'

/**
 * Runs a command: `--help` prints its usage and `--version` the project's version; otherwise `work` gets the
 * arguments and gives the exit code. An error ends the process with code 1 and its message.
 */
export async function main(usage, work, args = process.argv.slice(2)) {
  if (args.includes('--help') || args.includes('-h')) return say(usage.trim())
  if (args.includes('--version') || args.includes('-v')) return say(projectVersion())
  try {
    process.exitCode = (await work(args)) ?? 0
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/** The version that package.json states. */
export const projectVersion = () => JSON.parse(readFileSync(inProject('package.json'), 'utf8')).version

const say = text => process.stdout.write(`${text}\n`)
