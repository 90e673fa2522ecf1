import { workerEnvironment } from '../config/config.ts'
import { sleepMs } from '../core/clock.ts'
import { toldToStop } from './told-to-stop.ts'

const RESTART_PAUSE_MS = 1_000

/** Keeps a number of workers alive that share the port. Gives the exit code: the first bad one of a worker that was told to stop. */
export async function supervise(workers: number): Promise<number> {
  const stopping = new AbortController()
  const running = Array.from({ length: workers }, () => keepAlive(stopping.signal))
  await toldToStop()
  stopping.abort()
  const codes = await Promise.all(running)
  return codes.find(code => code !== 0) ?? 0
}

async function keepAlive(stopping: AbortSignal): Promise<number> {
  while (!stopping.aborted) {
    const worker = Bun.spawn([process.execPath, ...ownArguments()], {
      env: workerEnvironment(),
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    const stop = () => worker.kill('SIGTERM')
    stopping.addEventListener('abort', stop, { once: true })
    const code = await worker.exited
    stopping.removeEventListener('abort', stop)
    if (stopping.aborted) return code
    await sleepMs(RESTART_PAUSE_MS)
  }
  return 0
}

/** In a compiled program the executable itself is the program; else its first argument is the file to run. */
const ownArguments = (): string[] =>
  Bun.main.startsWith('/$bunfs') ? process.argv.slice(2) : [Bun.main, ...process.argv.slice(2)]
