import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

const USAGE = `
Usage: npm run test:open-responses [-- --channel KIND]
       npm run test:langchain [-- --channel KIND]
       npm run test:scim
       npm run test:focus

Runs a suite of others on a gateway in front of the fault lab, on each kind of channel: Open Responses' schema of responses,
events and sockets, or LangChain's standard tests of chat models. test:scim runs scim2-tester on the SCIM service, and test:focus the focus-validator on an export, which
needs Python 3.12 (PYTHON names it). Installs them from PyPI into .cache/agents first.
`

await main(USAGE, async args => {
  await install()
  const file = ['scim', 'focus'].includes(args[0]) ? `run-${args[0]}.ts` : 'run.ts'
  return runBun([inProject('tests', 'agents', 'judges', file), ...args])
})
