import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

const USAGE = `
Usage: npm run test:open-responses [-- --channel KIND]
       npm run test:langchain [-- --channel KIND]

Runs a suite of others on a gateway in front of the fault lab, on each kind of channel: Open Responses' schema of responses,
events and sockets, or LangChain's standard tests of chat models. Installs them from PyPI into .cache/agents first.
`

await main(USAGE, async args => {
  await install()
  return runBun([inProject('tests', 'agents', 'judges', 'run.ts'), ...args])
})
