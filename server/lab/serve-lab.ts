import { RELAY_BODY_BYTES_MAX } from '../core/limits.ts'
import { openLab } from './open-lab.ts'

export interface ServedLab {
  /** Without a trailing slash. */
  readonly url: string
  stop(): Promise<void>
}

/** Serves a lab of its own. Port 0 takes a free one. */
export function serveLab({
  port,
  host = '127.0.0.1',
}: {
  readonly port: number
  readonly host?: string
}): ServedLab {
  const server = Bun.serve({
    port,
    hostname: host,
    idleTimeout: 0,
    maxRequestBodySize: RELAY_BODY_BYTES_MAX,
    fetch: openLab().fetch,
  })
  return { url: server.url.origin, stop: () => server.stop(true) }
}
