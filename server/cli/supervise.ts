import { workerEnvironment } from '../config/config.ts'
import { sleepMs } from '../core/clock.ts'
import { programCommand } from '../core/executable.ts'
import { waitForStopSignal } from './graceful-shutdown.ts'

const RESTART_DELAY_MS = 1_000

/**
 * Runs worker processes that share the port, and restarts those that exit. One worker starts before the others: if its start
 * cannot work, it says why, and nothing is restarted. Returns the first exit code that is not zero.
 */
export async function supervise(workers: number): Promise<number> {
  const stopping = new AbortController()
  void waitForStopSignal().then(() => stopping.abort())
  const firstStarted = Promise.withResolvers<void>()
  const first = runWorker(stopping, firstStarted.resolve)
  await Promise.race([firstStarted.promise, first])
  const others = Array.from({ length: workers - 1 }, () => runWorker(stopping))
  const codes = await Promise.all([first, ...others])
  return codes.find(code => code !== 0) ?? 0
}

/** A worker that ends before it ever served stops all of them. */
async function runWorker(stopping: AbortController, onStarted?: () => void): Promise<number> {
  const { signal } = stopping
  let hasStarted = false
  while (!signal.aborted) {
    const worker = Bun.spawn(programCommand(process.argv.slice(2)), {
      env: workerEnvironment(),
      stdio: ['pipe', 'inherit', 'inherit'],
      ipc() {
        hasStarted = true
        onStarted?.()
      },
    })
    const stop = () => worker.kill('SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    const code = await worker.exited
    signal.removeEventListener('abort', stop)
    // Stopped before it listened to the signal, so it served nobody.
    if (signal.aborted && worker.signalCode === 'SIGTERM') return 0
    if (!hasStarted) stopping.abort()
    if (signal.aborted) return code
    await sleepMs(RESTART_DELAY_MS)
  }
  return 0
}

/** Tells the supervising process that this worker serves. */
export function reportStart(): void {
  process.send?.('started')
}
