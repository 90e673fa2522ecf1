import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

await main(async () => {
  const [first, ...rest] = process.argv.slice(2)
  const isOfLogs = first === 'logs'
  await install()
  return isOfLogs
    ? runBun([inProject('bench', 'logs.ts'), ...rest])
    : runBun([inProject('bench', 'main.ts'), ...process.argv.slice(2)])
})
