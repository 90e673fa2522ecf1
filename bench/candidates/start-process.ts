import { sleepMs } from '#server/core/clock.ts'
import runtimeSettings from '../../scripts/lib/runtime-settings.json'

const START_TIMEOUT_MS = 30_000
const POLL_MS = 50

interface ServerOptions {
  readonly command: readonly string[]
  /** Responds once the server is up, with any status. */
  readonly url: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface StartedProcess {
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a server and waits until it responds. Throws with its error output when it does not. */
export async function startProcess({
  command,
  url,
  environment = {},
}: ServerOptions): Promise<StartedProcess> {
  const child = Bun.spawn([...command], {
    env: {
      ...process.env,
      ...runtimeSettings,
      NODE_ENV: 'production',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const stop = async () => {
    child.kill()
    await child.exited
  }
  for (let waitedMs = 0; waitedMs < START_TIMEOUT_MS; waitedMs += POLL_MS) {
    if (child.exitCode !== null) break
    if (await isUp(url)) return { pid: child.pid, stop }
    await sleepMs(POLL_MS)
  }
  await stop()
  throw new Error(`${command.join(' ')} did not start: ${await new Response(child.stderr).text()}`)
}

const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )
