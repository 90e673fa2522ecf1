import { type AdminClient, signIn } from './api-client.ts'
import { freePort } from './free-port.ts'
import { type Program, type ProgramLimits, startProgram } from './program.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { waitUntil } from './wait-until.ts'

const START_TIMEOUT_MS = 120_000
const ROOT_PASSWORD = 'root-of-the-test'

export interface GatewayOptions extends ProgramLimits {
  /** Data folder, which is kept. Absent: a temporary folder, removed at the end. */
  readonly dataDir?: string
  readonly port?: number
  /** Serves the fault lab at `/lab`. */
  readonly isDevelopment?: boolean
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A running gateway: the real program on a free port. */
export interface RunningGateway {
  /** Without a trailing slash. */
  readonly url: string
  readonly dataDir: string
  /** Absent for SQLite in the data folder. */
  readonly databaseUrl?: string
  readonly rootPassword: string
  readonly pid: number
  /** Exit code, or 128 + n after signal n. */
  readonly ended: Promise<number>
  output(): string
  signInAsRoot(): Promise<AdminClient>
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number>
  /** Sends SIGKILL. Even a temporary data folder stays, so that a gateway can be started on it again. */
  kill(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts the gateway and waits until it is ready. Throws with its output when it does not start. */
export async function startGateway(options: GatewayOptions = {}): Promise<RunningGateway> {
  const temporary = options.dataDir === undefined ? makeTemporaryFolder() : undefined
  const dataDir = options.dataDir ?? temporary?.path ?? ''
  const port = options.port ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const environment: Readonly<Record<string, string>> = {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    ROOT_PASSWORD,
    LOG_LEVEL: 'warn',
    ...(options.isDevelopment ? { TOLLGATE_DEV: '1' } : {}),
    ...options.environment,
  }
  const program = startProgram(['serve'], environment, options)
  await untilReady(program, url)
  const stop = async () => {
    const code = await program.stop()
    temporary?.remove()
    return code
  }
  return {
    url,
    dataDir,
    ...(environment.DATABASE_URL && { databaseUrl: environment.DATABASE_URL }),
    rootPassword: ROOT_PASSWORD,
    pid: program.pid,
    ended: program.ended,
    output: program.output,
    signInAsRoot: () => signIn(url, { username: 'root', password: ROOT_PASSWORD }),
    stop,
    kill: program.kill,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

async function untilReady(program: Program, url: string): Promise<void> {
  try {
    await waitUntil({ description: `${url}/readyz`, timeoutMs: START_TIMEOUT_MS }, () => {
      if (program.hasEnded()) throw new Error('the gateway ended before it was ready')
      return respondsOk(`${url}/readyz`)
    })
  } catch (cause) {
    await program.kill()
    throw new Error(`the gateway did not come up; it printed:\n${program.output()}`, { cause })
  }
}

export const respondsOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    response => response.ok,
    () => false,
  )
