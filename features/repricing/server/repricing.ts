import { Worker } from 'node:worker_threads'
import { nowSeconds } from '#server/core/clock.ts'
import type { Logger } from '#server/core/logger.ts'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { type RepriceJob, type RepriceResult, repriceLogs, toRepriceResult } from './reprice-logs.ts'
import type { RepriceReply, RepriceRequest } from './reprice-thread.ts'
import type { RepricedSums } from './reprice-totals.ts'

export interface RepriceState {
  readonly status: 'none' | 'running' | 'done' | 'cancelled' | 'failed'
  /** From 0 to 1. */
  readonly share: number
  /** Unix seconds; 0: not yet. */
  readonly startedAt: number
  readonly finishedAt: number
  readonly from: number
  readonly until: number
  readonly result?: RepriceResult
}

/** Charges the requests of a period again, one computation at a time, on a thread of its own. */
export interface Repricing {
  /** Returns false when one is running. */
  start(job: RepriceJob): boolean
  state(): RepriceState
  /** Resolves when nothing runs any more. */
  cancel(): Promise<void>
  /** Like `cancel`; nothing can be started afterwards. */
  stop(): Promise<void>
}

const NO_RUN: RepriceState = {
  status: 'none',
  share: 0,
  startedAt: 0,
  finishedAt: 0,
  from: 0,
  until: 0,
}
const RUN_MS_MAX = 15 * 60_000
const RESULT_KEPT_MS = 15 * 60_000

interface Run {
  readonly sums: Promise<RepricedSums>
  readonly end: (reason: Error) => void
}

class RunCancelled extends Error {}

/** A database in memory exists in this process only and is read here, with pauses. */
export function createRepricing(database: Pick<OpenDatabase, 'db' | 'location'>, log: Logger): Repricing {
  let state = NO_RUN
  let running: { readonly run: Run; readonly finished: Promise<void> } | undefined
  let dropTimer: NodeJS.Timeout | undefined
  let isStopped = false
  const finish = (outcome: Pick<RepriceState, 'status' | 'result'>) => {
    state = { ...state, ...outcome, finishedAt: nowSeconds() }
    running = undefined
    dropTimer = setTimeout(() => {
      state = NO_RUN
    }, RESULT_KEPT_MS)
  }
  const follow = async ({ sums, end }: Run, job: RepriceJob): Promise<void> => {
    const timer = setTimeout(() => end(new Error('it took too long')), RUN_MS_MAX)
    try {
      finish({ status: 'done', result: await toRepriceResult(database.db, await sums, job) })
    } catch (error) {
      if (!(error instanceof RunCancelled)) log.error('requests could not be charged again', { error })
      finish({ status: error instanceof RunCancelled ? 'cancelled' : 'failed' })
    } finally {
      clearTimeout(timer)
    }
  }
  const cancel = async () => {
    running?.run.end(new RunCancelled('cancelled'))
    await running?.finished
  }
  return {
    start(job) {
      if (running || isStopped) return false
      clearTimeout(dropTimer)
      state = { ...NO_RUN, status: 'running', startedAt: nowSeconds(), from: job.from, until: job.until }
      const onProgress = (share: number) => {
        state = { ...state, share }
      }
      const run =
        database.location.url === ':memory:'
          ? startHere(database, job, onProgress)
          : startThread({ url: database.location.url, job }, onProgress)
      running = { run, finished: follow(run, job) }
      return true
    },
    state: () => state,
    cancel,
    async stop() {
      isStopped = true
      await cancel()
      clearTimeout(dropTimer)
    },
  }
}

function startHere(
  { db }: Pick<OpenDatabase, 'db'>,
  job: RepriceJob,
  onProgress: (share: number) => void,
): Run {
  const controller = new AbortController()
  const sums = repriceLogs(db, job, { onProgress, signal: controller.signal })
  return { sums, end: reason => controller.abort(reason) }
}

function startThread(request: RepriceRequest, onProgress: (share: number) => void): Run {
  const { promise, resolve, reject } = Promise.withResolvers<RepricedSums>()
  const thread = new Worker(new URL('./reprice-thread.ts', import.meta.url))
  thread.on('message', ({ share, sums, failure }: RepriceReply) => {
    if (share !== undefined) onProgress(share)
    else if (sums) resolve(sums)
    else reject(new Error(failure))
  })
  thread.on('error', reject)
  thread.postMessage(request)
  return { sums: promise.finally(() => thread.terminate()), end: reject }
}
