import { buildExecutable } from './lib/build-executable.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'

await main(async () => {
  await install()
  return buildExecutable()
})
