import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

await main(async () => {
  await install()
  return runBun([inProject('bench', 'main.ts'), ...process.argv.slice(2)])
})
