import { buildExecutable } from './lib/build-executable.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'

const USAGE = `
Usage: npm run build

Builds dist/tollgate: one executable for this platform with the console inside.
`

await main(USAGE, async () => {
  await install()
  return buildExecutable()
})
