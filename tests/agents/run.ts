import { parseArgs } from 'node:util'
import { CHANNEL_KINDS } from './agent.ts'
import { AGENTS } from './agents.ts'
import { checkContract } from './gateway-contract.ts'
import { installClient } from './install-clients.ts'
import { countOutcomes, listCells, readResults, recordOutcome } from './results.ts'
import { type Cell, runCell } from './run-cell.ts'
import { ALL_TASKS, type Outcome } from './tasks.ts'

const PROCESSES = 2
const WIDTHS = [14, 11, 18, 10] as const

const { values: args } = parseArgs({
  options: {
    agent: { type: 'string', multiple: true },
    channel: { type: 'string', multiple: true },
    task: { type: 'string', multiple: true },
    'accept-contract': { type: 'boolean', default: false },
  },
})

/** The chosen values, or all. Ends the program when a name is unknown. */
function choose<Value>(
  option: string,
  values: readonly Value[],
  nameOf: (value: Value) => string,
  names: readonly string[] | undefined,
): readonly Value[] {
  const unknown = names?.find(name => !values.some(value => nameOf(value) === name))
  if (unknown !== undefined) {
    process.stderr.write(`--${option} ${unknown}: there are ${values.map(nameOf).join(', ')}\n`)
    process.exit(1)
  }
  return names ? values.filter(value => names.includes(nameOf(value))) : values
}

const agents = choose('agent', AGENTS, ({ name }) => name, args.agent)
const kinds = choose('channel', CHANNEL_KINDS, kind => kind, args.channel)
const tasks = choose('task', ALL_TASKS, ({ name }) => name, args.task)

const folders = new Map<string, string>()
for (const { name, packages } of agents) folders.set(name, await installClient(name, packages))

const claude = agents.find(({ name }) => name === 'claude-code')
const isContractKnown =
  !claude ||
  checkContract(folders.get(claude.name) ?? '', {
    version: claude.packages[0]?.version ?? '',
    isAccepted: args['accept-contract'],
  })

const cells = [...listCells(agents, kinds, tasks)]
const outcomes: Outcome[] = []

/** Takes cells until none are left. */
async function work(): Promise<void> {
  for (let cell = cells.shift(); cell; cell = cells.shift()) {
    const startedAt = performance.now()
    const outcome = await runCell(cell, folders.get(cell.agent.name) ?? '')
    outcomes.push(outcome)
    // Another run may have recorded other cells meanwhile.
    recordOutcome(readResults(), cell, outcome)
    print(cell, outcome, performance.now() - startedAt)
  }
}

function print({ agent, kind, task }: Cell, outcome: Outcome, ms: number): void {
  const columns = [agent.name, kind, task.name, outcome.status].map((text, index) =>
    text.padEnd(WIDTHS[index] ?? 0),
  )
  process.stdout.write(
    `${columns.join(' ')} ${(ms / 1000).toFixed(1).padStart(6)} s  ${outcome.note ?? ''}\n`,
  )
}

await Promise.all(Array.from({ length: PROCESSES }, work))
const { succeeded, lacking, failed } = countOutcomes(outcomes)
process.stdout.write(`\n${succeeded} passed, ${lacking} not possible, ${failed} failed\n`)
process.exit(failed === 0 && isContractKnown ? 0 : 1)
