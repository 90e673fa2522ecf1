import { elapsedMs, sleepMs } from '../server/core/clock.ts'
import { type Arrival, type Connection, openConnection, postBytes } from './http-connection.ts'
import { Load, type LoadResult } from './load.ts'
import { p50AndP99 } from './percentiles.ts'
import { createStreamWatch, isComplete, type StreamWatch, tokensIn } from './stream-watch.ts'

const SHOWN_LETTERS = 300

/** Sends one load and returns its result. Runs as a process of its own: the load is its argument, the result its output, both in JSON. */
async function generate(load: Load): Promise<LoadResult> {
  const url = new URL(load.url)
  const request = postBytes(url, load.headers, load.body)
  const connections = await Promise.all(Array.from({ length: load.connections }, () => openConnection(url)))
  const tally = createTally()
  const startedMs = elapsedMs()
  let taken = 0
  const work = async (connection: Connection) => {
    while (taken < load.count) {
      const turn = taken++
      if (load.ratePerSecond > 0) await untilTurn(startedMs, turn, load.ratePerSecond)
      await exchange(connection, request, load, tally)
    }
    connection.close()
  }
  await Promise.all(connections.map(work))
  return { ...tally.read(), seconds: (elapsedMs() - startedMs) / 1000 }
}

async function untilTurn(startedMs: number, turn: number, ratePerSecond: number): Promise<void> {
  const waitMs = startedMs + (turn * 1000) / ratePerSecond - elapsedMs()
  if (waitMs > 0) await sleepMs(waitMs)
}

async function exchange(
  connection: Connection,
  request: Uint8Array,
  load: Load,
  tally: Tally,
): Promise<void> {
  const watch = load.kind === 'streams' ? createStreamWatch() : undefined
  try {
    const arrival = await connection.send(request, watch?.see)
    tally.note(arrival, watch)
  } catch (error) {
    tally.fail(String(error))
  }
}

interface Tally {
  note(arrival: Arrival, watch: StreamWatch | undefined): void
  fail(reason: string): void
  read(): Omit<LoadResult, 'seconds'>
}

function createTally(): Tally {
  const latencies: number[] = []
  const firstTokens: number[] = []
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
    note({ status, ms, body }, watch) {
      if (status !== 200) return fail(`status ${status}: ${body.slice(0, SHOWN_LETTERS)}`)
      if (watch && !isComplete(body)) return fail(`a stream ended early: ${body.slice(-SHOWN_LETTERS)}`)
      latencies.push(ms)
      if (!watch) return
      const timing = watch.read()
      firstTokens.push(timing.firstTokenMs)
      longestGapMs = Math.max(longestGapMs, timing.longestGapMs)
      tokens += tokensIn(body)
    },
    read: () => ({
      succeeded: latencies.length,
      failed,
      firstFailure,
      latencyMs: p50AndP99(latencies),
      firstTokenMs: p50AndP99(firstTokens),
      longestGapMs,
      tokens,
    }),
  }
}

process.stdout.write(JSON.stringify(await generate(Load.parse(JSON.parse(process.argv[2] ?? '')))))
process.exit(0)
