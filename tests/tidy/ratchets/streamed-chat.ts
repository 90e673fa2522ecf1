import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { addUser } from '../../harness/add-user.ts'
import { callChat, isCompleteStream } from '../../harness/call-chat.ts'
import { addLabChannel, addToken } from '../../harness/lab-channel.ts'
import { setOptions } from '../../harness/set-options.ts'
import { respondsOk } from '../../harness/start-gateway.ts'
import { type Site, startSite } from '../../harness/start-site.ts'
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts'
import { waitUntil } from '../../harness/wait-until.ts'

const MODEL = 'gpt-4o-mini'
const ATTEMPTS_MAX = 3
const REPORT_TIMEOUT_MS = 20_000

/** Counts the files until it finds at most `limit`; names them when it does not. */
export async function countFilesOfStreamedChat(limit: number): Promise<number> {
  let files: readonly string[] = []
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
    files = await filesOfStreamedChat()
    if (files.length <= limit) return files.length
  }
  process.stderr.write(`${files.join('\n')}\n`)
  return files.length
}

/**
 * The files with a line that the first streamed chat after a start executes, OpenAI's format on both sides. A feature that
 * joins requests adds its own, which are no part of the way that all requests take.
 */
async function filesOfStreamedChat(): Promise<readonly string[]> {
  const folder = makeTemporaryFolder()
  const report = join(folder.path, 'lines.json')
  const site = await startSite({
    dataDir: join(folder.path, 'data'),
    preload: join(import.meta.dir, 'report-lines.ts'),
    environment: {
      BUN_JSC_useControlFlowProfiler: '1',
      LINES_REPORT: report,
      EGRESS_ALLOWED: '127.0.0.1',
    },
  })
  try {
    const key = await prepareChat(site)
    const before = await readLines(site, report)
    await streamChat(site, key)
    const after = await readLines(site, report)
    return Object.keys(after).filter(path => !path.startsWith('features/') && after[path] !== before[path])
  } finally {
    await Promise.all([site.gateway.kill(), site.lab.stop()])
    folder.remove()
  }
}

async function prepareChat({ gateway, root, lab }: Site): Promise<string> {
  await setOptions(root, { ModelRatio: { [MODEL]: 1 } })
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL] })
  // Nobody is to be notified of a low balance.
  const user = await addUser(gateway, { username: 'chat', wallet: 1_000_000_000 })
  return (await addToken(user)).key
}

async function streamChat({ gateway: { url } }: Site, key: string): Promise<void> {
  const body = { model: MODEL, stream: true, messages: [{ role: 'user', content: 'Hi' }] }
  const result = await callChat({ url, key, body })
  if (!isCompleteStream(result)) throw new Error(`expected a complete stream, found: ${result.text}`)
}

async function readLines({ gateway }: Site, report: string): Promise<Readonly<Record<string, string>>> {
  rmSync(report, { force: true })
  await respondsOk(`${gateway.url}/readyz`)
  process.kill(gateway.pid, 'SIGUSR2')
  await waitUntil({ description: 'the report of unexecuted lines', timeoutMs: REPORT_TIMEOUT_MS }, () =>
    existsSync(report),
  )
  return JSON.parse(readFileSync(report, 'utf8'))
}
