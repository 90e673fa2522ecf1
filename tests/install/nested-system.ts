import { join } from 'node:path'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { runCommand } from './release.ts'

const BOOT_TIMEOUT_MS = 30_000
const SCRIPT = join(import.meta.dir, 'boot-systemd.sh')

/** A Linux system with systemd in namespaces of its own. It shares the network with this machine and nothing else. */
export interface NestedSystem {
  /** Runs a command inside as root. */
  run(...command: readonly string[]): ReturnType<typeof runCommand>
  [Symbol.asyncDispose](): Promise<void>
}

/** Boots a copy-on-write view of this machine. `shared` appears inside as /mnt, read-only. */
export async function bootNestedSystem(shared: string): Promise<NestedSystem> {
  if (process.getuid?.() !== 0) throw new Error('a nested system needs root')
  const folder = makeTemporaryFolder()
  const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child']
  const program = Bun.spawn(['unshare', ...namespaces, 'sh', SCRIPT, folder.path, shared], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const init = await waitUntil(
    { description: 'the first process of the system', timeoutMs: BOOT_TIMEOUT_MS },
    () => findChild(program.pid),
  )
  const run = (...command: readonly string[]) =>
    runCommand(['nsenter', `--target=${init}`, '--mount', '--pid', '--uts', '--ipc', ...command])
  await waitUntil({ description: 'systemd to have booted', timeoutMs: BOOT_TIMEOUT_MS }, async () => {
    const { output } = await run('systemctl', 'is-active', 'nested.target')
    return output.trim() === 'active'
  })
  return {
    run,
    async [Symbol.asyncDispose]() {
      program.kill('SIGKILL')
      await program.exited
      folder.remove()
    },
  }
}

async function findChild(pid: number): Promise<number | undefined> {
  const { output } = await runCommand(['cat', `/proc/${pid}/task/${pid}/children`])
  return Number(output.trim().split(' ')[0]) || undefined
}
