import { buildExecutable } from './lib/build-executable.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

/** What can be measured besides the speed: each a file of its own in `bench`. */
const MODES = ['logs', 'crash', 'faults', 'dead-channel', 'streams']
/** These measure what the executable costs, as operators run it; the others run the sources, as the tests do. */
const MODES_OF_EXECUTABLE = ['main', 'streams']

await main(async () => {
  const [first, ...rest] = process.argv.slice(2)
  await install()
  const [mode, options] = MODES.includes(first) ? [first, rest] : ['main', process.argv.slice(2)]
  const code = MODES_OF_EXECUTABLE.includes(mode) ? await buildExecutable() : 0
  return code || runBun([inProject('bench', `${mode}.ts`), ...options])
})
