#!/usr/bin/env node
import { buildConsole } from './lib/build-console.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { runTollgate } from './lib/run-bun.mjs'

const USAGE = `
Usage: npx tollgate [serve | lab | verify | root-password | help]

Installs what is missing, then runs the verb; without one it serves. 'npx tollgate VERB --help' explains a verb.
`

/** Options that print something and exit. */
const INFORMATION = ['--help', '-h', '--version', '-v']

const [verb = 'serve', ...rest] = process.argv.slice(2)
const isOfVerb = !verb.startsWith('-')

await main(USAGE, runVerb, isOfVerb ? [] : [verb, ...rest])

async function runVerb() {
  await install()
  if (verb === 'serve' && !rest.some(arg => INFORMATION.includes(arg))) await buildConsole()
  return runTollgate([verb, ...rest])
}
