import { elapsedMs, sleepMs } from '#server/core/clock.ts'
import { type Connection, openConnection, postBytes, type TimedResponse } from './http-connection.ts'
import { Load, type LoadResult } from './load.ts'
import { p50AndP99, percentile } from './percentiles.ts'
import { countTokens, createStreamTimer, isComplete, type StreamTimer } from './stream-timer.ts'

const EXCERPT_CHARS = 300

/** Sends one load and returns its result. Runs in a separate process, with the load as JSON argument and the result as JSON output. */
async function generate(load: Load): Promise<LoadResult> {
  const url = new URL(load.url)
  const request = postBytes(url, load.headers, load.body)
  const connections = await Promise.all(Array.from({ length: load.connections }, () => openConnection(url)))
  const tally = createTally()
  const startedMs = elapsedMs()
  let started = 0
  const work = async (connection: Connection) => {
    while (started < load.count) {
      const index = started++
      if (load.ratePerSecond > 0) await waitForStart(startedMs, index, load.ratePerSecond)
      await sendOne(connection, request, load, tally)
    }
    connection.close()
  }
  await Promise.all(connections.map(work))
  return { ...tally.read(), seconds: (elapsedMs() - startedMs) / 1000 }
}

async function waitForStart(startedMs: number, index: number, ratePerSecond: number): Promise<void> {
  const waitMs = startedMs + (index * 1000) / ratePerSecond - elapsedMs()
  if (waitMs > 0) await sleepMs(waitMs)
}

async function sendOne(connection: Connection, request: Uint8Array, load: Load, tally: Tally): Promise<void> {
  const timer = load.kind === 'streams' ? createStreamTimer() : undefined
  try {
    const response = await connection.send(request, timer?.add)
    tally.add(response, timer)
  } catch (error) {
    tally.fail(String(error))
  }
}

interface Tally {
  add(response: TimedResponse, timer: StreamTimer | undefined): void
  fail(reason: string): void
  read(): Omit<LoadResult, 'seconds'>
}

function createTally(): Tally {
  const latencies: number[] = []
  const firstTokens: number[] = []
  const delays: number[] = []
  let failed = 0
  let firstFailure = ''
  let longestGapMs = 0
  let tokens = 0
  const fail = (reason: string) => {
    failed++
    firstFailure ||= reason
  }
  return {
    fail,
    add({ status, ms, body }, timer) {
      if (status !== 200) return fail(`status ${status}: ${body.slice(0, EXCERPT_CHARS)}`)
      if (timer && !isComplete(body)) return fail(`a stream ended early: ${body.slice(-EXCERPT_CHARS)}`)
      latencies.push(ms)
      if (!timer) return
      const timing = timer.read()
      firstTokens.push(timing.firstTokenMs)
      delays.push(...timing.delaysMs)
      longestGapMs = Math.max(longestGapMs, timing.longestGapMs)
      tokens += countTokens(body)
    },
    read: () => ({
      succeeded: latencies.length,
      failed,
      firstFailure,
      latencyMs: p50AndP99(latencies),
      firstTokenMs: p50AndP99(firstTokens),
      longestGapMs,
      eventDelayMs: { ...p50AndP99(delays), longest: percentile(delays, 1) },
      tokens,
    }),
  }
}

process.stdout.write(JSON.stringify(await generate(Load.parse(JSON.parse(process.argv[2] ?? '')))))
process.exit(0)
