import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { runBun } from './lib/run-bun.mjs'
import { unitPaths } from './lib/suites.mjs'

const USAGE = `
Usage: npm run test:watch [-- PATH…]

Runs the unit tests, or those at the given paths, and reruns them when a file that they use changes.

  npm run test:watch -- server/ledger
`

await main(USAGE, async args => {
  await install()
  return runBun(['test', '--watch', '--no-clear-screen', ...unitPaths(args)])
})
