import { buildExecutable } from './lib/build-executable.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'

const USAGE = `
Usage: npm run build

Builds dist/tollgate, a single executable for this platform that includes the console and the documentation.
`

await main(USAGE, async () => {
  await install()
  return buildExecutable()
})
