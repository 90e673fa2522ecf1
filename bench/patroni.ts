import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { elapsedMs } from '#server/core/clock.ts'
import { findPatroni, startPatroniPair } from '../tests/harness/patroni-pair.ts'
import { startGateway } from '../tests/harness/start-gateway.ts'
import { startLab } from '../tests/harness/start-lab.ts'
import { makeTemporaryFolder } from '../tests/harness/temporary-folder.ts'
import {
  compare,
  firstResponseMs,
  isDifferent,
  prepare,
  print,
  readCharges,
  rowOf,
  SECRET_KEY,
  startClients,
  untilRecovered,
} from './failover-load.ts'

/** Complete responses before a failover and after it. */
const RESPONSES = 200

/**
 * Kills the primary of two servers under Patroni again and again, under load, and compares what clients saw with what was charged.
 * Options: `--times N`, `--synchronous` for Patroni's synchronous mode.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: '10' },
      synchronous: { type: 'boolean', default: false },
      out: { type: 'string', default: 'test-results/patroni.json' },
    },
  })
  if (!findPatroni()) {
    print(
      'NOT RUN: Patroni, etcd and PostgreSQL are not installed (Debian: apt-get install patroni etcd-server postgresql)',
    )
    return 0
  }
  const outcome = await failOverAgain(Number(values.times), values.synchronous)
  mkdirSync(dirname(values.out), { recursive: true })
  writeFileSync(values.out, `${JSON.stringify(outcome, null, 2)}\n`)
  print(rowOf(outcome))
  return isDifferent(outcome) ? 1 : 0
}

async function failOverAgain(times: number, isSynchronous: boolean) {
  const lab = await startLab()
  const folder = makeTemporaryFolder()
  const pair = await startPatroniPair(isSynchronous)
  const environment = { DATABASE_URL: pair.url, SECRET_KEY, WORKERS: '1' }
  const gateway = await startGateway({ dataDir: folder.path, environment })
  try {
    const clients = startClients(gateway, await prepare(gateway, lab))
    const promotions: number[] = []
    for (let time = 0; time < times; time += 1) {
      await clients.complete(RESPONSES)
      const lostMs = elapsedMs()
      await pair.failOver()
      promotions.push(elapsedMs())
      print(`failover ${time + 1}: promoted after ${Math.round(elapsedMs() - lostMs)} ms`)
      await clients.complete(RESPONSES)
      await pair.rejoin()
    }
    const responses = await clients.stop()
    const recovered = await untilRecovered({ ...environment, DATA_DIR: gateway.dataDir })
    const firstMs = promotions.map(promotedMs => firstResponseMs(responses, promotedMs))
    const compared = compare(responses, await readCharges(pair.primaryUrl()))
    return { failovers: times, ...compared, ...recovered, firstMs, firstMsMax: Math.max(...firstMs) }
  } finally {
    await gateway.stop()
    await pair.stop()
    await lab.stop()
    folder.remove()
  }
}

process.exit(await main())
