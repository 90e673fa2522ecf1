import { nowMs } from '../core/clock.ts'

const ADDRESSES_MAX = 5
/** A warning disappears this long after the proxy was named or taken away. */
const KEPT_MS = 60 * 60_000

/** Proxies in front of the gateway that `TRUSTED_PROXIES` does not name, by address. */
export interface UnnamedProxies {
  note(address: string): void
  list(): readonly string[]
}

export function createUnnamedProxies(): UnnamedProxies {
  const lastAtMs = new Map<string, number>()
  return {
    note(address) {
      if (lastAtMs.size < ADDRESSES_MAX || lastAtMs.has(address)) lastAtMs.set(address, nowMs())
    },
    list() {
      for (const [address, atMs] of lastAtMs) if (atMs < nowMs() - KEPT_MS) lastAtMs.delete(address)
      return [...lastAtMs.keys()]
    },
  }
}
