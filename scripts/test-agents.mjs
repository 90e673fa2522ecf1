import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

const USAGE = `
Usage: npm run test:agents [-- --agent NAME] [--channel KIND] [--task NAME] [--accept-contract]

Runs the real coding agents and SDKs through the gateway, each task on each kind of channel, and records the outcome in
docs/reference/agents.md. Installs the clients into .cache/agents first. Options may be repeated.

Also compares the contract with gateways that Claude Code ships with the one that was last worked through, and says what is new; --accept-contract stores it.
`

await main(USAGE, async args => {
  await install()
  return runBun([inProject('tests', 'agents', 'run.ts'), ...args])
})
