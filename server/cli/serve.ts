import type { Server } from 'bun'
import type { Program } from '../compose/modules.ts'
import { type Wired, wire } from '../compose-app.ts'
import { type Config, readConfig } from '../config/config.ts'
import { elapsedMs, sleepMs } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import { withTimeout } from '../core/async.ts'
import { type Logger, createLogger } from '../core/logger.ts'
import type { App } from '../http/app.ts'
import { IDLE_CONNECTION_SECONDS } from '../http/relay-handler.ts'
import { closeSockets, socketEvents, unlessSwitched } from '../http/sockets.ts'
import type { SocketListener } from '../relay/request/client-connection.ts'
import { type Farewell, openFarewell, type Patience } from './farewell.ts'
import { supervise } from './supervise.ts'
import { toldToStop } from './told-to-stop.ts'
import { turnAway } from './turn-away.ts'

/** How long answers under way may take to end once the process is told to stop. */
const DRAIN_MS_MAX = 30_000
const DRAIN_CHECK_MS = 50
/** A database that has fallen silent keeps nobody: what is held is given back by others, or by the next start. */
const LETTING_GO_MS_MAX = 10_000
const NOT_LET_GO = 1
/** Balancers need a few looks at `/readyz` to see that they are to go elsewhere; meanwhile all is served. */
const AMONG_OTHERS: Patience = { quietMs: 500, waitMsMax: 10_000 }
/** There is nowhere else to go. */
const ALONE: Patience = { quietMs: 100, waitMsMax: 1000 }
/** Longer than a handshake under way takes, and the request behind it. */
const HANDSHAKE_MS = 200
/** Whoever reads a body bounds it and says so; the runtime's own refusal is an empty page. What nobody reads is not kept. */
const ANY_BODY_BYTES = Number.MAX_SAFE_INTEGER
/** The runtime's own page of an error shows lines of our source to whoever asked. */
const SHOWS_SOURCE = false
const INTERNAL_ERROR = 500

/** `tollgate serve`: the gateway and its console on one port, until it is told to stop. Gives the exit code. */
export async function serve(_args: readonly string[], program: Program): Promise<number> {
  const config = readConfig()
  if (config.workers > 1 && !config.isWorker) return supervise(config.workers)
  const log = createLogger({
    level: config.logLevel,
    isPretty: process.stdout.isTTY === true,
    write: line => process.stdout.write(line),
  })
  const farewell = openFarewell()
  const wired = await wire({ config, log, seal: farewell.seal, ...program })
  const server = listen(config, wired.app, farewell, log)
  greet(config, server, wired)
  await toldToStop(config)
  wired.drain()
  const untilMs = elapsedMs() + DRAIN_MS_MAX
  await closeDoor(server, farewell, wired.hasNeighbours ? AMONG_OTHERS : ALONE)
  return stop(server, wired, { untilMs, log })
}

function listen(config: Config, app: App, farewell: Farewell, log: Logger): Server<SocketListener> {
  try {
    return Bun.serve<SocketListener>({
      port: config.port,
      hostname: config.host,
      reusePort: config.isWorker,
      idleTimeout: IDLE_CONNECTION_SECONDS,
      maxRequestBodySize: ANY_BODY_BYTES,
      development: SHOWS_SOURCE,
      error(error) {
        log.error('the server threw', { error, reason: errorMessage(error) })
        return new Response('internal error\n', { status: INTERNAL_ERROR })
      },
      fetch(request, server) {
        farewell.note(request)
        const answered = app.fetch(request, server)
        return request.headers.has('upgrade') ? answered.then(unlessSwitched) : answered
      },
      websocket: socketEvents,
    })
  } catch (cause) {
    throw new Error(`cannot listen on ${config.host}:${config.port}: ${errorMessage(cause)}`, { cause })
  }
}

function greet({ host, port }: Config, server: Server<SocketListener>, { rootPassword }: Wired): void {
  const shownHost = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  process.stdout.write(`Tollgate answers at http://${shownHost}:${server.port ?? port}\n`)
  if (rootPassword !== undefined)
    process.stdout.write(
      `Sign in as root with the password ${rootPassword} (shown only now; change it after signing in)\n`,
    )
}

/** Serves whoever still comes and sends them elsewhere, until nobody comes any more; then takes no new connections. */
async function closeDoor(
  server: Server<SocketListener>,
  farewell: Farewell,
  patience: Patience,
): Promise<void> {
  farewell.begin()
  await farewell.untilQuiet(patience)
  if (server.port !== undefined && turnAway(server.port)) await sleepMs(HANDSHAKE_MS)
  void server.stop()
}

interface Ending {
  readonly untilMs: number
  readonly log: Logger
}

/** Ends conversations, lets answers under way end, closes every hold, then lets go. Gives the exit code. */
async function stop(server: Server<SocketListener>, wired: Wired, { untilMs, log }: Ending): Promise<number> {
  await Promise.race([closeSockets(), sleepMs(untilMs - elapsedMs())])
  while (server.pendingRequests > 0 && elapsedMs() < untilMs) await sleepMs(DRAIN_CHECK_MS)
  if (server.pendingRequests > 0)
    log.warn('answers were cut off at the end', { count: server.pendingRequests })
  await server.stop(true)
  try {
    await withTimeout(LETTING_GO_MS_MAX, wired.close())
    return 0
  } catch (error) {
    log.error('the process ended before all was written', { reason: errorMessage(error) })
    return NOT_LET_GO
  }
}
