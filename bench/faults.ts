import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { type FaultResult, runFaults } from '../tests/load/faults/run-faults.ts'

const CLIENTS = 64
const SHOWN_EVERY = 50_000

/**
 * Sends requests, a third of which hit a fault, and compares each with its log row. Options: `--requests N`, `--seed N` to
 * repeat a run, `--out FILE` for the figures. Exits with 1 when a request was lost, doubled, charged wrongly or left a hold.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string', default: 'test-results/faults.json' },
    },
  })
  const requests = Number(values.requests)
  const result = await runFaults({
    requests,
    clients: CLIENTS,
    seed: Number(values.seed),
    onProgress: sent => {
      if (sent % SHOWN_EVERY === 0) print(`${sent} requests`)
    },
  })
  mkdirSync(dirname(values.out), { recursive: true })
  writeFileSync(values.out, `${JSON.stringify(result, null, 2)}\n`)
  print(report(result))
  return isCorrect(result, requests) ? 0 : 1
}

const isCorrect = ({ audit, drift, openHolds, costDrift, pending }: FaultResult, requests: number): boolean =>
  audit.rows === requests &&
  costDrift === 0 &&
  audit.lost +
    audit.surplus +
    audit.unpaid +
    audit.overcharged +
    audit.miscosted +
    drift +
    openHolds +
    pending ===
    0

const report = ({ audit, ends, pending, drift, openHolds, costDrift, seconds }: FaultResult): string =>
  [
    `${audit.rows} rows after ${Math.round(seconds)} s`,
    `clients: ${ends.served} served, ${ends.rejected} rejected, ${ends.broken} broken off or disconnected, ${pending} without a response`,
    `lost ${audit.lost}, doubled ${audit.surplus}, served without charge ${audit.unpaid}, rejected but charged ${audit.overcharged}`,
    `costs: ${audit.miscosted} wrong, drift ${costDrift}`,
    `drift ${drift}, open holds ${openHolds}`,
  ].join('\n')

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())
