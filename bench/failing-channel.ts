import { parseArgs } from 'node:util'
import {
  type Death,
  type FailingChannelResult,
  runFailingChannel,
} from '../tests/load/failing-channel/run-failing-channel.ts'
import { p50AndP99 } from './percentiles.ts'

const CLIENTS = 64
const SUCCESS_SHARE_MIN = 0.9999
const LATE_MS = 60_000
const DEATHS: readonly Death[] = ['nobody listens', 'status-500', 'reset', 'garbage', 'hang']

/** Sends `--requests N` requests for each way one of three channels can fail. Exits with 1 below 99.99 % success. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { requests: { type: 'string', default: '20000' } } })
  const requests = Number(values.requests)
  const results: FailingChannelResult[] = []
  for (const death of DEATHS) {
    const result = await runFailingChannel({ death, requests, clients: CLIENTS })
    process.stdout.write(`${formatResult(result, requests)}\n`)
    results.push(result)
  }
  return results.every(({ served }) => served / requests >= SUCCESS_SHARE_MIN) ? 0 : 1
}

function formatResult(
  { death, served, failures, latenciesMs, seconds }: FailingChannelResult,
  requests: number,
): string {
  const { p50, p99 } = p50AndP99(latenciesMs)
  const share = ((100 * served) / requests).toFixed(3)
  const slowest = latenciesMs.at(-1) ?? 0
  const late = latenciesMs.filter(ms => ms >= LATE_MS).length
  const times = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms, ${late} over a minute`
  return [`${death}: ${share} % served in ${seconds.toFixed(0)} s, ${times}`, ...failures].join('\n  ')
}

process.exit(await main())
