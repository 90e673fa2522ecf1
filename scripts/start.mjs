import { buildConsole } from './lib/build-console.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { serveWithDocs } from './lib/serve-with-docs.mjs'

const USAGE = `
Usage: npm start

Installs the dependencies, builds the console if it is stale, and serves gateway and console on one port.
Settings are environment variables, for example PORT=8080 npm start. README.md lists them.
`

await main(USAGE, async args => {
  await install()
  await buildConsole()
  return serveWithDocs(args)
})
