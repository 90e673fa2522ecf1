#!/usr/bin/env node
import { buildConsole } from './lib/build-console.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { runTollgate } from './lib/run-bun.mjs'

await main(async () => {
  const [verb = 'serve', ...rest] = process.argv.slice(2)
  await install()
  if (verb === 'serve') await buildConsole()
  return runTollgate([verb, ...rest])
})
