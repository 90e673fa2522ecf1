import { join } from 'node:path'
import runtimeSettings from '../../scripts/lib/runtime-settings.json'

export const PROJECT = join(import.meta.dir, '..', '..')

const BLOCK_BYTES = 512
const OUTPUT_KEPT_CHARACTERS_MAX = 200_000

export interface ProgramLimits {
  /** Maximum size of a file, which simulates a full disk. */
  readonly fileBytesMax?: number
  /** A module that is preloaded into the process. */
  readonly preload?: string
  /** Executable of `npm run build`, started instead of `server/main.ts` and without a preload. */
  readonly executable?: string
}

/** A running Tollgate process. */
export interface Program {
  readonly pid: number
  /** Standard output and standard error so far. */
  output(): string
  /** Exit code, or 128 + n after signal n. */
  readonly ended: Promise<number>
  hasEnded(): boolean
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number>
  /** Sends SIGKILL. */
  kill(): Promise<void>
}

/** Output of `npm run build`. */
export const EXECUTABLE = join(PROJECT, 'dist', 'tollgate')

/**
 * Starts Tollgate with a command, as the launchers do. The process inherits only the path and the home folder
 * besides `environment`, so that no setting of the machine affects a test.
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

/** `ulimit` counts blocks of 512 bytes. Ignoring XFSZ turns the signal into a write error. */
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

/** Runs a command to its end, for example `verify`. */
export async function runTollgate(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly output: string }> {
  const program = startProgram(args, environment)
  const code = await program.ended
  return { code, output: program.output() }
}
