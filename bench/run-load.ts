import { join } from 'node:path'
import { sleepMs } from '#server/core/clock.ts'
import type { Candidate } from './candidates/candidate.ts'
import { type Load, LoadResult } from './load.ts'
import { readUsage } from './process-usage.ts'

/** The result of a load with the resources that the candidate used for it. */
export interface MeasuredLoad extends LoadResult {
  readonly cpuMicrosPerRequest: number
  readonly residentMb: number
  readonly peakMb: number
}

/** Gives the candidate time for work after the response, such as writing log rows in bulk, which counts too. */
const DEFERRED_WORK_MS = 300
const GENERATOR = join(import.meta.dir, 'generator.ts')

/** Runs the generator against a candidate and measures the candidate's CPU and memory. */
export async function runLoad(
  candidate: Candidate,
  load: Omit<Load, 'url' | 'headers'>,
): Promise<MeasuredLoad> {
  const before = readUsage(candidate.pid)
  const result = await generate({ ...load, url: candidate.url, headers: candidate.headers })
  await sleepMs(DEFERRED_WORK_MS)
  const after = readUsage(candidate.pid)
  const cpuMicros = (after.cpuSeconds - before.cpuSeconds) * 1e6
  return {
    ...result,
    cpuMicrosPerRequest: cpuMicros / Math.max(1, result.succeeded),
    residentMb: after.residentMb,
    peakMb: after.peakMb,
  }
}

async function generate(load: Load): Promise<LoadResult> {
  const child = Bun.spawn([process.execPath, GENERATOR, JSON.stringify(load)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the load generator failed')
  return LoadResult.parse(JSON.parse(text))
}
