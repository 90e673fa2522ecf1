import runtimeSettings from '../../scripts/lib/runtime-settings.json'
import { sleepMs } from '../../server/core/clock.ts'

const START_TIMEOUT_MS = 30_000
const LOOK_EVERY_MS = 50

interface ProcessOrder {
  readonly command: readonly string[]
  /** Answers as soon as it is up, with whatever status. */
  readonly url: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface StartedProcess {
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a server and waits until it answers. Throws with what it printed when it does not. */
export async function startProcess({
  command,
  url,
  environment = {},
}: ProcessOrder): Promise<StartedProcess> {
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
  for (let waitedMs = 0; waitedMs < START_TIMEOUT_MS; waitedMs += LOOK_EVERY_MS) {
    if (child.exitCode !== null) break
    if (await responses(url)) return { pid: child.pid, stop }
    await sleepMs(LOOK_EVERY_MS)
  }
  await stop()
  throw new Error(`${command.join(' ')} did not come up: ${await new Response(child.stderr).text()}`)
}

const responses = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )
