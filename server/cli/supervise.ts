import { z } from 'zod'
import { workerEnvironment } from '../config/config.ts'
import { sleepMs } from '../core/clock.ts'
import { programCommand } from '../core/executable.ts'
import { waitForStopSignal } from './graceful-shutdown.ts'

const RESTART_DELAY_MS = 1_000

const WorkerReport = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started') }),
  z.object({ kind: z.literal('moved'), databaseUrl: z.string() }),
])

/** The database to which a worker followed a move: workers that start later begin there. */
const moved: { DATABASE_URL?: string } = {}

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
      env: { ...workerEnvironment(), ...moved },
      stdio: ['pipe', 'inherit', 'inherit'],
      ipc(message) {
        const report = WorkerReport.parse(message)
        if (report.kind === 'moved') moved.DATABASE_URL = report.databaseUrl
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
  process.send?.({ kind: 'started' } satisfies z.infer<typeof WorkerReport>)
}

/** Tells the supervising process that this worker followed a move to another database. */
export function reportMove(databaseUrl: string): void {
  process.send?.({ kind: 'moved', databaseUrl } satisfies z.infer<typeof WorkerReport>)
}
