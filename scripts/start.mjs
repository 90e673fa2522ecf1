import { buildConsole } from './lib/build-console.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { runTollgate } from './lib/run-bun.mjs'

await main(async () => {
  await install()
  await buildConsole()
  return runTollgate(['serve', ...process.argv.slice(2)])
})
