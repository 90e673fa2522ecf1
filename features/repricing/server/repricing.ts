import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { nowSeconds } from '#server/core/clock.ts'
import { isExecutable } from '#server/core/executable.ts'
import type { Logger } from '#server/core/logger.ts'
import type { OpenDatabase } from '#server/db/engine/database.ts'
import { type RepriceJob, type RepriceResult, repriceLogs, toRepriceResult } from './reprice-logs.ts'
import { REPRICE_COMMAND, type RepriceReply, type RepriceRequest } from './reprice-process.ts'
import type { RepricePart } from './reprice-totals.ts'

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

/** Charges the requests of a period again, one computation at a time, in processes of their own. */
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

/** Each takes a part of the period. At low priority, so that relaying goes first. */
const PROCESSES = 2

interface Run {
  readonly parts: Promise<readonly RepricePart[]>
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
  const follow = async ({ parts, end }: Run, job: RepriceJob): Promise<void> => {
    const timer = setTimeout(() => end(new Error('it took too long')), RUN_MS_MAX)
    try {
      finish({ status: 'done', result: await toRepriceResult(database.db, await parts, job) })
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
          : startProcesses({ url: database.location.url, job }, onProgress)
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
  const part = { index: 0, count: 1 }
  const sums = repriceLogs(db, job, { part, onProgress, signal: controller.signal })
  return { parts: Promise.all([sums]), end: reason => controller.abort(reason) }
}

function startProcesses(request: Omit<RepriceRequest, 'part'>, onProgress: (share: number) => void): Run {
  const shares = Array.from({ length: PROCESSES }, () => 0)
  const children = shares.map((_, index) =>
    startProcess({ ...request, part: { index, count: PROCESSES } }, share => {
      shares[index] = share
      onProgress(shares.reduce((sum, one) => sum + one, 0) / PROCESSES)
    }),
  )
  const end = (reason: Error) => {
    for (const child of children) child.end(reason)
  }
  return { parts: all(children, end), end }
}

/** All outcomes. When one fails the others are ended too. */
async function all(
  children: readonly RepriceProcess[],
  end: (reason: Error) => void,
): Promise<readonly RepricePart[]> {
  try {
    return await Promise.all(children.map(child => child.part))
  } catch (error) {
    end(new Error('another part has failed'))
    await Promise.allSettled(children.map(child => child.part))
    throw error
  }
}

interface RepriceProcess {
  readonly part: Promise<RepricePart>
  readonly end: (reason: Error) => void
}

/** A process instead of a thread: it ends at once, also within a query. */
function startProcess(request: RepriceRequest, onProgress: (share: number) => void): RepriceProcess {
  const { promise, resolve, reject } = Promise.withResolvers<RepricePart>()
  const child: Subprocess = Bun.spawn(command(), {
    stdio: ['ignore', 'ignore', 'inherit'],
    serialization: 'json',
    ipc({ share, result, failure }: RepriceReply) {
      if (share !== undefined) return onProgress(share)
      if (result) resolve(result)
      else reject(new Error(failure))
      child.kill('SIGKILL')
    },
    onExit: () => reject(new Error('the process has ended')),
  })
  child.send(request)
  const end = (reason: Error) => {
    reject(reason)
    child.kill('SIGKILL')
  }
  return { part: settled(promise, child), end }
}

/** The outcome, once the process has ended. */
async function settled<T>(outcome: Promise<T>, child: Subprocess): Promise<T> {
  try {
    return await outcome
  } finally {
    await child.exited
  }
}

const command = (): string[] =>
  isExecutable
    ? [process.execPath, REPRICE_COMMAND]
    : [process.execPath, join(import.meta.dir, 'reprice-process.ts')]
