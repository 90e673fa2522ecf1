import { existsSync } from 'node:fs'
import { run } from './run.mjs'
import { runCaptured } from './run-captured.mjs'

/** Runs npm in the foreground. Uses the one that started this process, if any. Throws when it fails. */
export async function npm(args) {
  const { command, first, options } = program()
  const code = await run(command, [...first, ...args], options)
  if (code !== 0) throw new Error(`npm ${args.join(' ')} exited with code ${code}`)
}

/** Runs npm and returns what it printed. Throws when it fails. */
export async function npmCaptured(args, cwd) {
  const { command, first, options } = program()
  const { code, output } = await runCaptured(command, [...first, ...args], {
    ...options,
    ...(cwd && { cwd }),
  })
  if (code !== 0) throw new Error(`npm ${args.join(' ')} exited with code ${code}: ${output.trim()}`)
  return output
}

function program() {
  const own = process.env.npm_execpath
  if (own?.endsWith('npm-cli.js') && existsSync(own))
    return { command: process.execPath, first: [own], options: {} }
  const isWindows = process.platform === 'win32'
  return { command: isWindows ? 'npm.cmd' : 'npm', first: [], options: { shell: isWindows } }
}
