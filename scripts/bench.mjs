import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

/** What can be measured besides the speed: each a file of its own in `bench`. */
const MODES = ['logs', 'crash', 'faults', 'dead-channel', 'streams']

await main(async () => {
  const [first, ...rest] = process.argv.slice(2)
  await install()
  return MODES.includes(first)
    ? runBun([inProject('bench', `${first}.ts`), ...rest])
    : runBun([inProject('bench', 'main.ts'), ...process.argv.slice(2)])
})
