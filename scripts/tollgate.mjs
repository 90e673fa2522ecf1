#!/usr/bin/env node
import { buildConsole } from './lib/build-console.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { runTollgate } from './lib/run-bun.mjs'
import { serveWithDocs } from './lib/serve-with-docs.mjs'

const USAGE = `
Usage: npx tollgate [serve | lab | verify | doctor | backup | restore | upgrade | import | export | root-password | help]

Installs missing dependencies, then runs the command; the default is serve.
'npx tollgate COMMAND --help' explains a command.
`

/** Options that print information and exit. */
const INFORMATION_OPTIONS = ['--help', '-h', '--version', '-v']

const [command = 'serve', ...rest] = process.argv.slice(2)
const hasCommand = !command.startsWith('-')

await main(USAGE, runCommand, hasCommand ? [] : [command, ...rest])

async function runCommand() {
  await install()
  if (command !== 'serve' || rest.some(arg => INFORMATION_OPTIONS.includes(arg)))
    return runTollgate([command, ...rest])
  await buildConsole()
  return serveWithDocs(rest)
}
