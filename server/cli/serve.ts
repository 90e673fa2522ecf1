import type { Server } from 'bun'
import { type ComposedApp, composeApp } from '../compose-app.ts'
import { type Config, readConfig, readVariable } from '../config/config.ts'
import { errorMessage } from '../core/errors.ts'
import { createLogger, type Logger } from '../core/logger.ts'
import { createStallWatch, type StallWatch } from '../core/telemetry/stall-watch.ts'
import type { App } from '../http/app.ts'
import { IDLE_CONNECTION_SECONDS } from '../http/relay-handler.ts'
import { unlessUpgraded, webSocketHandler } from '../http/websockets.ts'
import type { Program } from '../program.ts'
import type { SocketListener } from '../relay/request/client-connection.ts'
import { createShutdownGate, type ShutdownGate, shutDown, waitForStopSignal } from './graceful-shutdown.ts'
import { reportStart, supervise } from './supervise.ts'

/** The runtime's limit would respond with an empty page; each route limits the body that it reads and explains itself. */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER
/** The runtime's error page for development would show source code to clients. */
const IS_ERROR_PAGE_SHOWN = false
const INTERNAL_ERROR = 500
/** Which database, cache and sessions one-api and new-api use. */
const OTHER_VARIABLES = ['SQL_DSN', 'REDIS_CONN_STRING', 'SESSION_SECRET']

/** `tollgate serve`: runs the gateway and its console until a stop signal. Returns the exit code. */
export async function serve(_args: readonly string[], program: Program): Promise<number> {
  const config = readConfig()
  if (config.workers > 1 && !config.isWorker) return supervise(config.workers)
  const log = createLogger({
    level: config.logLevel,
    isPretty: process.stdout.isTTY === true,
    write: line => process.stdout.write(line),
  })
  for (const name of OTHER_VARIABLES.filter(readVariable))
    log.warn(`${name} is a variable of another gateway and is not read; docs/guides/migrating.md names ours`)
  const gate = createShutdownGate()
  const composed = await composeApp({ config, log, finalizeResponse: gate.finalizeResponse, ...program })
  const stallWatch = createStallWatch({
    metrics: composed.metrics,
    log,
    isBusy: () => server.pendingRequests > 0,
  })
  const server = listen(config, { app: composed.app, gate, stallWatch, log })
  printWelcome(config, server, composed)
  if (config.isWorker) reportStart()
  await waitForStopSignal(config)
  const code = await shutDown({ server, composed, gate, log })
  stallWatch.stop()
  return code
}

interface Listener {
  readonly app: App
  readonly gate: ShutdownGate
  readonly stallWatch: StallWatch
  readonly log: Logger
}

function listen(config: Config, { app, gate, stallWatch, log }: Listener): Server<SocketListener> {
  try {
    return Bun.serve<SocketListener>({
      port: config.port,
      hostname: config.host,
      reusePort: config.isWorker,
      idleTimeout: IDLE_CONNECTION_SECONDS,
      maxRequestBodySize: BODY_BYTES_MAX,
      development: IS_ERROR_PAGE_SHOWN,
      error(error) {
        log.error('the server threw', { error, reason: errorMessage(error) })
        return new Response('internal error\n', { status: INTERNAL_ERROR })
      },
      fetch(request, server) {
        gate.onRequest(request)
        stallWatch.onRequest()
        const response = app.fetch(request, server)
        const { headers } = request
        if (headers.has('transfer-encoding')) return response.then(asLastOfConnection).then(unlessUpgraded)
        return headers.has('upgrade') ? response.then(unlessUpgraded) : response
      },
      websocket: webSocketHandler,
    })
  } catch (cause) {
    throw new Error(`cannot listen on ${config.host}:${config.port}: ${errorMessage(cause)}`, { cause })
  }
}

/**
 * For a body in chunks: the runtime rejects trailers at its end with a response of its own, which a proxy in front would
 * deliver to the next request on the connection.
 */
function asLastOfConnection(response: Response): Response {
  response.headers.set('connection', 'close')
  return response
}

function printWelcome(
  { host, port }: Config,
  server: Server<SocketListener>,
  { rootPassword }: ComposedApp,
): void {
  const shownHost = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  process.stdout.write(`Tollgate is running at http://${shownHost}:${server.port ?? port}\n`)
  if (rootPassword !== undefined)
    process.stdout.write(
      `Sign in as root with the password ${rootPassword} (shown only once; change it after signing in)\n`,
    )
}
