import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { nowMs } from '#server/core/clock.ts'
import { type Lab, startLab } from '../tests/harness/start-lab.ts'
import type { Candidate } from './candidates/candidate.ts'
import { directTo } from './candidates/direct.ts'
import { startFloor } from './candidates/floor.ts'
import { startPortkey } from './candidates/portkey.ts'
import { startTollgate, type Tollgate } from './candidates/tollgate.ts'
import { judge } from './claims.ts'
import { machine } from './machine.ts'
import { measureFirstTokens, measureSteady, measureStreams, measureThroughput, warmUp } from './measure.ts'
import { report } from './report.ts'
import type { BenchResult } from './result.ts'
import { readOptions, type Size } from './size.ts'

/** The upstream and the candidates of a run. */
interface Participants {
  readonly lab: Lab
  readonly floor: Candidate
  readonly tollgate: Tollgate
  readonly portkey: Candidate
}

/** Measures the gateway beside its peers and judges the performance promises. Exits with 1 when one is broken. */
async function main(): Promise<number> {
  const { size, file } = readOptions(process.argv.slice(2))
  if (process.platform !== 'linux')
    throw new Error('the benchmark reads /proc and therefore runs on Linux only')
  const participants = await start()
  try {
    const result = await measure(participants, size)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
    process.stdout.write(`${report(result)}\n\nAll figures: ${file}\n`)
    return result.claims.every(claim => claim.isMet) ? 0 : 1
  } finally {
    await Promise.all(Object.values(participants).map(participant => participant.stop()))
  }
}

async function start(): Promise<Participants> {
  log('starting the upstream and the candidates')
  const lab = await startLab()
  const portkey = await startPortkey(lab.url)
  return { lab, portkey, floor: await startFloor(lab.url), tollgate: await startTollgate(lab) }
}

async function measure({ lab, floor, tollgate, portkey }: Participants, size: Size): Promise<BenchResult> {
  const candidates = [floor, tollgate, portkey]
  const direct = directTo(lab)
  const startedAt = new Date(nowMs()).toISOString()
  log('warming up')
  const warmUpLoads = await warmUp(candidates, size)
  log(`full load, ${size.rounds} rounds`)
  const throughput = await measureThroughput(candidates, size)
  log('steady rate')
  const steady = await measureSteady([direct, ...candidates], size)
  log('first tokens')
  const firstTokens = await measureFirstTokens([direct, ...candidates], size)
  log('slow streams')
  const streams = await measureStreams([direct, ...candidates], size)
  const loads = [warmUpLoads, throughput, steady, firstTokens, streams].map(phase => phase.tollgate)
  const ledger = {
    responses: loads.reduce((sum, load) => sum + (load?.succeeded ?? 0), 0),
    logRows: await tollgate.countLogRows(),
    ...(await tollgate.stopAndVerify()),
    tokensPerStream: size.streamTokens,
  }
  const figures = {
    startedAt,
    size: size.name,
    machine: machine(),
    throughput,
    steady,
    firstTokens,
    streams,
    ledger,
  }
  return { ...figures, claims: judge(figures) }
}

const log = (text: string): void => {
  process.stderr.write(`bench: ${text}\n`)
}

process.exit(await main())
