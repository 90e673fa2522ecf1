import { workerEnvironment } from '../config/config.ts'
import { sleepMs } from '../core/clock.ts'
import { isExecutable } from '../core/executable.ts'
import { waitForStopSignal } from './graceful-shutdown.ts'

const RESTART_DELAY_MS = 1_000

/** Runs worker processes that share the port, and restarts those that exit. Returns the first non-zero exit code at the stop. */
export async function supervise(workers: number): Promise<number> {
  const stopping = new AbortController()
  const running = Array.from({ length: workers }, () => runWorker(stopping.signal))
  await waitForStopSignal()
  stopping.abort()
  const codes = await Promise.all(running)
  return codes.find(code => code !== 0) ?? 0
}

async function runWorker(stopping: AbortSignal): Promise<number> {
  while (!stopping.aborted) {
    const worker = Bun.spawn([process.execPath, ...programArguments()], {
      env: workerEnvironment(),
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    const stop = () => worker.kill('SIGTERM')
    stopping.addEventListener('abort', stop, { once: true })
    const code = await worker.exited
    stopping.removeEventListener('abort', stop)
    if (stopping.aborted) return code
    await sleepMs(RESTART_DELAY_MS)
  }
  return 0
}

/** The compiled executable is the program itself; otherwise the runtime needs the file to run as its first argument. */
const programArguments = (): string[] =>
  isExecutable ? process.argv.slice(2) : [Bun.main, ...process.argv.slice(2)]
