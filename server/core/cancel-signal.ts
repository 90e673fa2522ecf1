/** The part of `AbortSignal` that calls of upstreams need. */
export interface CancelSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal without the cost of an `AbortController`, of which a request would otherwise need one more. */
export class CancelSource implements CancelSignal {
  private readonly listeners = new Set<() => void>()
  private isAborted = false

  get aborted(): boolean {
    return this.isAborted
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.listeners.add(listener)
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.listeners.delete(listener)
  }

  abort(): void {
    if (this.isAborted) return
    this.isAborted = true
    for (const listener of this.listeners) listener()
  }
}
