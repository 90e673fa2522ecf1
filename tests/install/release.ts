import { join } from 'node:path'
import { signIn } from '../harness/api-client.ts'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { PROJECT } from '../harness/program.ts'
import { respondsOk } from '../harness/start-gateway.ts'
import { startLab } from '../harness/start-lab.ts'
import { waitUntil } from '../harness/wait-until.ts'

/** Output of `npm run release`. */
export const RELEASE = join(PROJECT, 'dist', 'release')
export const ROOT_PASSWORD = 'root-of-the-test'
/** What a person waits at most from the install command to the first response. */
export const FIRST_RESPONSE_MS_MAX = 60_000

const MODEL = 'gpt-4o-mini'

/** Waits for a gateway, sets up a channel and a token, and returns the status of the first response. */
export async function firstResponse(url: string): Promise<number> {
  await using lab = await startLab()
  await waitUntil({ description: `${url}/readyz`, timeoutMs: FIRST_RESPONSE_MS_MAX }, () =>
    respondsOk(`${url}/readyz`),
  )
  const root = await signIn(url, { username: 'root', password: ROOT_PASSWORD })
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL] })
  const { key } = await addToken(root)
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  return (await callChat({ url, key, body })).status
}

interface CommandResult {
  readonly code: number
  readonly output: string
}

/** Runs a command to its end. */
export async function runCommand(command: readonly string[], cwd = PROJECT): Promise<CommandResult> {
  const program = Bun.spawn([...command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, code] = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
    program.exited,
  ])
  return { code, output: `${stdout}${stderr}` }
}

/** Runs a command that must exit with 0 and returns its output. */
export async function outputOf(command: readonly string[], cwd?: string): Promise<string> {
  const { code, output } = await runCommand(command, cwd)
  if (code !== 0) throw new Error(`${command.join(' ')} exited with code ${code}:\n${output}`)
  return output
}
