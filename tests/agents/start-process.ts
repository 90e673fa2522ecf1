import { stripVTControlCharacters } from 'node:util'

/** How a run of an agent ended. */
export interface AgentRun {
  /** Exit code, or 128 + n after signal n. */
  readonly code: number
  readonly output: string
  readonly ms: number
  /** Milliseconds since 1970. */
  readonly endedMs: number
  readonly isTimedOut: boolean
}

const KEPT_CHARS_MAX = 400_000
const WATCH_MS = 100

interface AgentProcess {
  readonly command: readonly string[]
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Whether its user presses Ctrl-C now. Asked until it says yes. */
  readonly interruptWhen?: (() => boolean) | undefined
}

/** Runs a client to its end, or kills it with the programs that it started at the time limit. */
export async function runAgentProcess(started: AgentProcess): Promise<AgentRun> {
  const { command, folder, environment, timeoutMs, interruptWhen } = started
  const startedAt = performance.now()
  // A session of its own, so that the time limit ends all its programs.
  const child = Bun.spawn(['setsid', '--wait', ...command], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    void signalTree(child.pid, 'SIGKILL')
  }, timeoutMs)
  const watch = setInterval(() => {
    if (!interruptWhen?.()) return
    clearInterval(watch)
    void signalTree(child.pid, 'SIGINT')
  }, WATCH_MS)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  clearTimeout(timer)
  clearInterval(watch)
  const output = stripVTControlCharacters(`${stdout}\n${stderr}`).slice(-KEPT_CHARS_MAX)
  return { code, output, ms: performance.now() - startedAt, endedMs: Date.now(), isTimedOut }
}

/** Sends a signal to a process and its descendants, as a terminal does. */
async function signalTree(pid: number, signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  const listed = await new Response(
    Bun.spawn(['ps', '-eo', 'pid=,ppid='], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout,
  ).text()
  const pairs = listed
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
  const pids = [pid]
  for (const parent of pids) for (const [child = 0, of] of pairs) if (of === parent) pids.push(child)
  for (const each of pids) {
    try {
      process.kill(each, signal)
    } catch {
      // It ended meanwhile.
    }
  }
}
