import { get } from 'node:http'
import { readConfigWithoutWriting } from '#server/config/config.ts'
import { errorMessage } from '#server/core/errors.ts'

const PROBE_TIMEOUT_MS = 5_000
const OK = 200
const UNAVAILABLE = 503
const REASON_CHARS_MAX = 500

/** The state of the gateway's port according to `/readyz`. `reason` is the gateway's own. */
export interface GatewayState {
  readonly isReady: boolean
  readonly isGateway: boolean
  readonly reason: string
}

/** Where the gateway listens. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/**
 * `tollgate doctor --ready`: prints whether the gateway on this machine is ready. Returns the exit code. Health checks run it
 * every few seconds, so this file loads nothing of the program but its settings.
 */
export async function printReadiness(): Promise<number> {
  const { isReady, reason } = await readGatewayState(readConfigWithoutWriting())
  process.stdout.write(`${reason}\n`)
  return isReady ? 0 : 1
}

/** Asks the gateway that listens on this machine. */
export function readGatewayState({ host, port }: ListenAddress): Promise<GatewayState> {
  const { promise, resolve } = Promise.withResolvers<GatewayState>()
  const options = { host: localHost(host), port, path: '/readyz', agent: false, timeout: PROBE_TIMEOUT_MS }
  const request = get(options, response => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', piece => {
      text = (text + piece).slice(0, REASON_CHARS_MAX)
    })
    response.on('end', () => resolve(toState(response.statusCode ?? 0, text.trim())))
    response.on('error', cause => resolve(unreachable(cause)))
  })
  request.on('timeout', () => request.destroy(new Error(`no response within ${PROBE_TIMEOUT_MS} ms`)))
  request.on('error', cause => resolve(unreachable(cause)))
  return promise
}

const toState = (status: number, text: string): GatewayState => {
  const isReady = status === OK && /^ready(; |$)/.test(text)
  return { isReady, isGateway: isReady || status === UNAVAILABLE, reason: text || `status ${status}` }
}

const unreachable = (cause: unknown): GatewayState => ({
  isReady: false,
  isGateway: false,
  reason: errorMessage(cause),
})

/** A gateway that listens on all addresses is asked over the loopback interface. */
const localHost = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)
