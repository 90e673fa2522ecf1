import { join } from 'node:path'
import runtimeSettings from '../../scripts/lib/runtime-settings.json'

export const PROJECT = join(import.meta.dir, '..', '..')

const BLOCK_BYTES = 512
const OUTPUT_KEPT_CHARACTERS_MAX = 200_000

export interface ProgramLimits {
  /** No file can grow beyond: its disk is full then. */
  readonly fileBytesMax?: number
  /** A module that runs in the program's process before it. */
  readonly preload?: string
  /** What `npm run build` made, to be started in place of `server/main.ts`. It preloads nothing. */
  readonly executable?: string
}

/** The gateway's program running as a process of its own. */
export interface Program {
  readonly pid: number
  /** What it printed so far, both outputs. */
  output(): string
  /** The exit code once it ended, 128 + n after signal n. */
  readonly ended: Promise<number>
  hasEnded(): boolean
  /** Asks it to end and gives its exit code. */
  stop(): Promise<number>
  /** `kill -9`. */
  kill(): Promise<void>
}

/** Where `npm run build` leaves the executable. */
export const EXECUTABLE = join(PROJECT, 'dist', 'tollgate')

/**
 * Starts the program with a verb, as the launchers do. `environment` is all it sees besides the path and
 * the library path: nothing of this machine's settings reaches it.
 */
export function startProgram(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  limits: ProgramLimits = {},
): Program {
  const child = Bun.spawn([...wrapper(limits), ...programOf(limits), ...args], {
    cwd: PROJECT,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      ...runtimeSettings,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collect(child.stdout, child.stderr)
  return {
    pid: child.pid,
    output,
    ended: child.exited,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop() {
      child.kill('SIGTERM')
      return child.exited
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

function programOf({ preload, executable }: ProgramLimits): readonly string[] {
  if (executable !== undefined) return [executable]
  const preloads = preload === undefined ? [] : ['--preload', preload]
  return [process.execPath, ...preloads, join(PROJECT, 'server', 'main.ts')]
}

/** The shell's `ulimit` counts blocks of 512 bytes. What would be a signal is made an error of the write. */
function wrapper({ fileBytesMax }: ProgramLimits): readonly string[] {
  if (fileBytesMax === undefined) return []
  const blocks = Math.floor(fileBytesMax / BLOCK_BYTES)
  return ['/bin/sh', '-c', `trap '' XFSZ; ulimit -S -f ${blocks}; exec "$@"`, 'sh']
}

function collect(...streams: readonly ReadableStream<Uint8Array>[]): () => string {
  let text = ''
  for (const stream of streams) void follow(stream)
  return () => text

  async function follow(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const piece of stream) {
      text = (text + decoder.decode(piece, { stream: true })).slice(-OUTPUT_KEPT_CHARACTERS_MAX)
    }
  }
}

/** Runs a verb to its end, e.g. `verify`. */
export async function runTollgate(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly output: string }> {
  const program = startProgram(args, environment)
  const code = await program.ended
  return { code, output: program.output() }
}
