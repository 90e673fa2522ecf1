import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

const USAGE = `
Usage: npm run test:open-responses [-- --channel KIND]
       npm run test:langchain [-- --channel KIND]
       npm run test:scim

Runs a suite of others on a gateway in front of the fault lab, on each kind of channel: Open Responses' schema of responses,
events and sockets, or LangChain's standard tests of chat models. test:scim runs scim2-tester on the SCIM service. Installs them from PyPI into .cache/agents first.
`

await main(USAGE, async args => {
  await install()
  const file = args[0] === 'scim' ? 'run-scim.ts' : 'run.ts'
  return runBun([inProject('tests', 'agents', 'judges', file), ...args])
})
