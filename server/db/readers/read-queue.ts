import { queryUnavailable } from '../engine/query-errors.ts'

/** A caller whose reads run one after another. */
export interface ReadCaller {
  /** A user's id or a visitor's address. */
  readonly key: string
  /** Aborted when nobody waits for the result. */
  readonly signal?: AbortSignal
  /** How long a read may wait. Default: the limit of all callers. */
  readonly waitMs?: number
}

export interface ReadLimits {
  /** Reads that run at the same time. */
  readonly running: number
  readonly waiting: number
  readonly waitingPerCaller: number
  readonly waitMs: number
}

const RETRY_AFTER_SECONDS = 5

interface Waiter {
  readonly key: string
  readonly admit: () => void
}

/**
 * Admits reads: a few at a time, one for each caller, in the order of their arrival. A caller whose queries are slow
 * therefore delays its own and leaves the other places to others.
 */
export class ReadQueue {
  private readonly limits: ReadLimits
  private readonly runningKeys = new Set<string>()
  private readonly waiters: Waiter[] = []
  private isClosed = false
  /** Set while `withoutReads` waits or works; resolves when no read runs. */
  private quiet: PromiseWithResolvers<void> | undefined

  constructor(limits: ReadLimits) {
    this.limits = limits
  }

  get running(): number {
    return this.runningKeys.size
  }

  get waiting(): number {
    return this.waiters.length
  }

  /**
   * Resolves when a read of the caller may run; `leave` ends it. Throws `query.busy` when too many wait or the wait is too
   * long, and the reason of the signal when it is aborted.
   */
  async enter({ key, signal, waitMs = this.limits.waitMs }: ReadCaller): Promise<void> {
    signal?.throwIfAborted()
    if (this.isAdmissible(key)) {
      this.runningKeys.add(key)
      return
    }
    if (this.isFullFor(key)) throw busy()
    const admission = Promise.withResolvers<void>()
    const waiter = { key, admit: admission.resolve }
    const drop = (reason: unknown) => {
      this.remove(waiter)
      admission.reject(reason)
    }
    const dropAborted = () => drop(signal?.reason)
    const timer = setTimeout(() => drop(busy()), waitMs)
    signal?.addEventListener('abort', dropAborted)
    this.waiters.push(waiter)
    try {
      await admission.promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', dropAborted)
    }
  }

  leave(key: string): void {
    this.runningKeys.delete(key)
    if (this.runningKeys.size === 0) this.quiet?.resolve()
    this.admitWaiting()
  }

  /** Runs `work` while no read runs. Reads that arrive meanwhile wait. Calls must not overlap. */
  async withoutReads<T>(work: () => Promise<T>): Promise<T> {
    this.quiet = Promise.withResolvers()
    if (this.runningKeys.size === 0) this.quiet.resolve()
    try {
      await this.quiet.promise
      return await work()
    } finally {
      this.quiet = undefined
      this.admitWaiting()
    }
  }

  /** Further reads are rejected. */
  close(): void {
    this.isClosed = true
  }

  private isAdmissible(key: string): boolean {
    return (
      !this.isClosed &&
      this.quiet === undefined &&
      this.runningKeys.size < this.limits.running &&
      !this.runningKeys.has(key)
    )
  }

  private isFullFor(key: string): boolean {
    if (this.isClosed || this.waiters.length >= this.limits.waiting) return true
    return this.waiters.filter(waiter => waiter.key === key).length >= this.limits.waitingPerCaller
  }

  private admitWaiting(): void {
    for (;;) {
      const next = this.waiters.find(({ key }) => this.isAdmissible(key))
      if (!next) return
      this.remove(next)
      this.runningKeys.add(next.key)
      next.admit()
    }
  }

  private remove(waiter: Waiter): void {
    const index = this.waiters.indexOf(waiter)
    if (index >= 0) this.waiters.splice(index, 1)
  }
}

const busy = () => queryUnavailable('busy', { seconds: RETRY_AFTER_SECONDS })
