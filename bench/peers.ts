import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { nowMs } from '#server/core/clock.ts'
import { atAddress } from './candidates/at-address.ts'
import type { Candidate } from './candidates/candidate.ts'
import { directTo } from './candidates/direct.ts'
import { startFloor } from './candidates/floor.ts'
import { startLitellm } from './candidates/litellm.ts'
import { startPortkey } from './candidates/portkey.ts'
import { startTimingUpstream, type TimingUpstream } from './candidates/timing-upstream.ts'
import { startTollgate } from './candidates/tollgate.ts'
import { machine } from './machine.ts'
import { measurePeers } from './peers/measure.ts'
import { type Installed, type PeerOptions, readPeerOptions } from './peers/options.ts'
import { peerTables } from './peers/table.ts'
import { STREAM } from './stream-load.ts'

const START: Readonly<Record<Installed, (upstream: string) => Promise<Candidate>>> = {
  portkey: startPortkey,
  litellm: startLitellm,
}

/** Measures the gateway beside other gateways in one run. Exits with 1 when the gateway's ledger does not balance. */
async function main(): Promise<number> {
  const options = readPeerOptions(process.argv.slice(2))
  const upstream = await startTimingUpstream({ ...STREAM, port: options.upstreamPort })
  const running: Candidate[] = []
  try {
    const tollgate = await startTollgate(upstream)
    running.push(directTo(upstream), await startFloor(upstream.url), tollgate)
    for (const candidate of await startPeers(options, upstream)) running.push(candidate)
    const startedAt = new Date(nowMs()).toISOString()
    const measured = await measurePeers(running, options)
    mkdirSync(dirname(options.file), { recursive: true })
    writeFileSync(options.file, `${JSON.stringify({ startedAt, machine: machine(), measured }, null, 2)}\n`)
    const { isBalanced, report } = await tollgate.stopAndVerify()
    process.stdout.write(`${peerTables(measured)}\n\nLedger: ${report}\nAll figures: ${options.file}\n`)
    return isBalanced ? 0 : 1
  } finally {
    await Promise.all([...running, upstream].map(process => process.stop()))
  }
}

async function startPeers(
  { installed, peers }: PeerOptions,
  upstream: TimingUpstream,
): Promise<readonly Candidate[]> {
  const started = await Promise.all(installed.map(name => START[name](upstream.url)))
  return [...started, ...peers.map(atAddress)]
}

process.exit(await main())
